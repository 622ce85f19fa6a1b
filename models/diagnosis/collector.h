#pragma once

#include "models/diagnosis/facts.h"

namespace glass {

struct CollectorOptions {
  int64_t every = 50;      ///< steps between looks
  int64_t sentences = 16;  ///< of a batch that a look runs the model over
};

/// Gathers the facts of a training: before every so many steps it runs the model over the first
/// sentences of the batch in evaluation mode and reads weights, units and memory; after that step's
/// backward it reads the gradients. Of all other steps it keeps the gradient's norm. A training
/// that is resumed is looked at from there.
class FactCollector : public TrainingWatch {
 public:
  FactCollector(Trainee& trainee, const TrainOptions& training, CollectorOptions options = {});

  void before_step(int64_t step, const Batch& batch) override;
  void after_backward(double loss) override;
  void after_step(double gradient_norm) override;
  std::string explain_not_finite(int64_t step, const Batch& batch) override;

  void set_validations(const std::vector<HistoryEntry>& history);
  const TrainingRecord& record() const { return record_; }
  double seconds() const { return seconds_; }  ///< that it has taken

 private:
  void look(int64_t step, const Batch& batch);
  std::vector<GradientFact> gradients();
  int64_t predicted_memory() const;

  Trainee& trainee_;
  TrainOptions training_;
  CollectorOptions options_;
  TrainingRecord record_;
  bool looking_ = false;      // at the step that is going on
  int64_t live_before_ = -1;  // bytes, before the first step that was seen
  int64_t parameter_bytes_ = 0;
  double largest_norm_ = 0;  // since the last look
  std::string largest_layer_;
  Generator before_;  // where the step began to draw
  double seconds_ = 0;
};

}  // namespace glass
