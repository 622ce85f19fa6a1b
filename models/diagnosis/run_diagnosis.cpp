#include "models/diagnosis/run_diagnosis.h"

#include <algorithm>
#include <filesystem>

#include "models/json.h"
#include "models/report/label.h"
#include "tensor/file.h"

namespace glass {
namespace {

constexpr const char* kDiagnosisFile = "/diagnosis.json";

Alarm alarm_from(const Json& j) {
  const char* where = "alarms";
  return {entry<std::string>(j, "rule", where),   entry<std::string>(j, "where", where),
          entry<std::string>(j, "text", where),   entry<double>(j, "value", where),
          entry<int64_t>(j, "first_step", where), entry<int64_t>(j, "last_step", where)};
}

}  // namespace

RunDiagnosis::RunDiagnosis(Trainee& trainee, const TrainOptions& training, std::string folder)
    : collector_(trainee, training), folder_(std::move(folder)), readings_(rules().size()) {}

void RunDiagnosis::resume(const Trainer& trainer) {
  seconds_before_ = trainer.step_seconds();
  checked_at_ = trainer.step();
  alarms_ = load_alarms(folder_);
}

std::vector<std::string> RunDiagnosis::update(const Trainer& trainer) {
  collector_.set_validations(trainer.history());
  const TrainingRecord& record = collector_.record();
  const int64_t step = trainer.step();
  std::vector<std::string> lines;
  for (const Finding& finding : findings(record)) {
    const auto known = std::find_if(alarms_.begin(), alarms_.end(), [&](const Alarm& a) {
      return a.rule == finding.rule->name && a.where == finding.reading.where;
    });
    if (known == alarms_.end()) {
      alarms_.push_back({finding.rule->name, finding.reading.where, finding.text(),
                         finding.reading.value, step, step});
      lines.push_back(finding.text());
      continue;
    }
    known->value = std::max(known->value, finding.reading.value);
    known->last_step = step;
  }
  for (const Alarm& a : alarms_)
    if (a.last_step == checked_at_ && a.last_step < step)
      lines.push_back(text(a.rule, a.where.empty() ? "" : " at ", a.where, " is over"));
  for (size_t i = 0; i < rules().size(); ++i) {
    Reading reading = worst(rules()[i], record);
    if (reading.value > readings_[i].value) readings_[i] = std::move(reading);
  }
  checked_at_ = step;
  write_file_atomically(folder_ + kDiagnosisFile, to_json(*this, trainer).dump(1) + "\n");
  return lines;
}

double RunDiagnosis::cost(const Trainer& trainer) const {
  const double trained = trainer.step_seconds() - seconds_before_;
  return trained > 0 ? collector_.seconds() / trained : 0;
}

Json to_json(const RunDiagnosis& diagnosis, const Trainer& trainer) {
  Json alarms = Json::array(), readings = Json::array();
  for (const Alarm& a : diagnosis.alarms())
    alarms.push_back({{"rule", a.rule},
                      {"where", a.where},
                      {"text", a.text},
                      {"value", a.value},
                      {"first_step", a.first_step},
                      {"last_step", a.last_step}});
  for (size_t i = 0; i < rules().size(); ++i)
    readings.push_back({{"rule", rules()[i].name},
                        {"where", diagnosis.readings()[i].where},
                        {"largest", diagnosis.readings()[i].value},
                        {"alarm_above", rules()[i].limit}});
  return {{"step", trainer.step()},
          {"cost", diagnosis.cost(trainer)},
          {"alarms", alarms},
          {"readings", readings}};
}

bool has_diagnosis(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder + kDiagnosisFile, ignored);
}

std::vector<Alarm> load_alarms(const std::string& folder) {
  const std::string path = folder + kDiagnosisFile;
  if (!has_diagnosis(folder)) return {};
  const Json json = parse_json(path, read_file(path));
  return in_file(path, [&] {
    std::vector<Alarm> alarms;
    for (const Json& j : require(json, "alarms", "diagnosis")) alarms.push_back(alarm_from(j));
    return alarms;
  });
}

}  // namespace glass
