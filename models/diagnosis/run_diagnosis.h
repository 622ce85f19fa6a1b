#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/diagnosis/collector.h"
#include "models/diagnosis/rule.h"

namespace glass {

/// An alarm of a run, from the validation that saw it first to the last one that saw it.
struct Alarm {
  std::string rule, where, text;
  double value = 0;  ///< the largest
  int64_t first_step = 0, last_step = 0;
};

/// What the rules say of a run that is training: looks at it, checks all rules at each validation,
/// and keeps folder/diagnosis.json.
class RunDiagnosis {
 public:
  RunDiagnosis(Trainee& trainee, const TrainOptions& training, std::string folder);
  TrainingWatch& watch() { return collector_; }
  /// Takes over the alarms of the run's earlier sessions.
  void resume(const Trainer& trainer);
  /// After a validation, or where the training broke off: lines about new alarms and such as are
  /// over. Writes the file.
  std::vector<std::string> update(const Trainer& trainer);

  const std::vector<Alarm>& alarms() const { return alarms_; }
  /// Of each rule, in the order of rules(): the largest reading so far.
  const std::vector<Reading>& readings() const { return readings_; }
  /// What looking has cost, as part of the time that training steps took.
  double cost(const Trainer& trainer) const;

 private:
  FactCollector collector_;
  std::string folder_;
  std::vector<Alarm> alarms_;
  std::vector<Reading> readings_;
  int64_t checked_at_ = 0;     // the step of the last update
  double seconds_before_ = 0;  // of training steps, in earlier sessions
};

nlohmann::json to_json(const RunDiagnosis& diagnosis, const Trainer& trainer);
/// Whether folder/diagnosis.json is there: not before a training's first validation.
bool has_diagnosis(const std::string& folder);
/// The alarms of folder/diagnosis.json; none where there is no such file. Throws Error naming the
/// file and a wrong entry.
std::vector<Alarm> load_alarms(const std::string& folder);

}  // namespace glass
