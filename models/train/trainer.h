#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/text/batches.h"
#include "models/train/progress.h"
#include "nn/module.h"
#include "optim/adam.h"
#include "optim/moving_average.h"

namespace glass {

struct TrainOptions {
  int64_t steps = 3000;     ///< optimiser steps in all; schedules count them
  double max_minutes = 0;   ///< stop cleanly after so long; 0: no limit
  int64_t batch_size = 64;  ///< sentences
  double lr = 2e-3;
  int64_t warmup = 200;             ///< steps of linear growth from 0 to lr
  std::string schedule = "cosine";  ///< after warm-up: one of schedule_names()
  double clip = 1;                  ///< total gradient norm; 0: no clipping
  double weight_decay = 0;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  ///< of Adam
  std::string matmul_precision = "highest";       ///< of a step's products (tensor/precision.h)
  double ema = 0;  ///< decay of a moving average of the weights, which is the model; 0: none
  int64_t valid_every = 500;  ///< steps between validations
  int64_t patience = 0;       ///< validations without a better score before stopping; 0: never stop
  uint64_t seed = 1;
};
nlohmann::json to_json(const TrainOptions& options);
TrainOptions train_options(const nlohmann::json& json);

const std::vector<std::string>& schedule_names();
/// The learning rate of step s = 1, 2, … as a part of lr: s / warmup, and after warm-up
///   constant  1    linear, cosine  decay to 0 at the last step    inverse-sqrt  √(warmup / s)
/// The paper's factor·d^(-½)·min(s^(-½), s·warmup^(-3/2)) (Vaswani et al. 2017, section 5.3) is
/// inverse-sqrt with lr = factor·(d·warmup)^(-½).
double schedule_factor(const TrainOptions& options, int64_t step);
/// Whether the schedule has decayed to 0 when the steps are done: more steps are another schedule.
bool ends_with_steps(const std::string& schedule);

/// What a validation found. Fractions, not per cent.
struct Score {
  double loss = 0;  ///< cross-entropy per target token, over all tokens
  double exact_match = 0, symbol_error_rate = 0, bleu = 0;
  /// Lower symbol error rate, then lower loss.
  bool better_than(const Score& other) const;
};
nlohmann::json to_json(const Score& score);

/// How long the sentences of a batch are, one number a row; empty where that has no meaning.
struct BatchLengths {
  std::vector<int64_t> source, target;  ///< the target with its end token
};

/// What the trainer needs of a task.
class Trainee {
 public:
  virtual ~Trainee() = default;
  virtual Module& model() = 0;
  virtual Generator& generator() = 0;
  struct Loss {
    Var mean;  ///< what training lowers
    int64_t tokens = 0;
    /// 0-d: the part of it that validation measures, and that is shown; undefined: all of it.
    Tensor cross_entropy = {};
  };
  /// step: how many steps were done.
  virtual Loss loss(const Batch& batch, int64_t step) = 0;
  virtual Score validate() = 0;
  virtual BatchLengths lengths(const Batch&) { return {}; }
};

/// Sees a training from inside. It may run the model, but leaves weights, gradients and modes as it
/// found them, so that a watched run ends with the same bits as another.
class TrainingWatch {
 public:
  virtual ~TrainingWatch() = default;
  /// step: how many were done.
  virtual void before_step(int64_t step, const Batch& batch) = 0;
  /// All gradients are there, not clipped.
  virtual void after_backward(double loss) = 0;
  /// The norm of all gradients before they were clipped.
  virtual void after_step(double gradient_norm) = 0;
  /// Loss or gradients of the step are not finite: why, and what to try.
  virtual std::string explain_not_finite(int64_t step, const Batch& batch) = 0;
};

/// One validation's line of the history.
struct HistoryEntry {
  int64_t step = 0;
  double train_loss = 0;  ///< mean cross-entropy per token since the last validation
  double lr = 0;
  Score valid;
};

enum class StopReason : uint8_t { steps, patience, minutes, interrupted };
std::string_view name(StopReason reason);

/// The one training loop. Everything it needs to continue exactly where it stopped (weights,
/// their average, optimiser, random numbers, history, best model so far) is in
/// folder/checkpoint.safetensors, written in one rename at each validation, at the end and when
/// interrupted; folder/model.safetensors is the best model.
class Trainer {
 public:
  Trainer(Trainee& trainee, Batches batches, const TrainOptions& options, std::string folder);

  /// Continues from the folder's checkpoint. Throws Error when there is none or it does not fit;
  /// the message names the file, its entry, what was met there and what would be right.
  void resume();
  /// Trains until the steps are done, patience ends, time is up or Ctrl-C was pressed; then loads
  /// the best model. on_validation is called after each, with the files written.
  StopReason run(const std::function<void(const Trainer&)>& on_validation = {});
  /// Lets it see every step from now on; it must outlive the training. Null: nobody.
  void watch(TrainingWatch* watch) { watch_ = watch; }

  const std::vector<HistoryEntry>& history() const { return history_; }
  int64_t step() const { return step_; }
  double seconds() const { return seconds_; }
  double step_seconds() const { return step_seconds_; }  ///< those without validations
  const Score& best() const { return best_; }
  int64_t best_step() const { return best_step_; }

 private:
  void train_step(Progress& progress);
  [[noreturn]] void stop_not_finite(const char* what, double value, const Batch& batch);
  void validate();
  void save_checkpoint();
  bool out_of_patience() const;

  Trainee& trainee_;
  Batches batches_;
  TrainOptions options_;
  std::string folder_;
  TrainingWatch* watch_ = nullptr;
  Adam optimizer_;
  std::optional<MovingAverage> average_;
  int64_t step_ = 0, best_step_ = 0;
  double seconds_ = 0;  // of training so far, over all sessions
  double step_seconds_ = 0;
  double loss_sum_ = 0;  // since the last validation
  int64_t loss_tokens_ = 0;
  Score best_;
  NamedTensors best_state_;
  std::vector<HistoryEntry> history_;
};

}  // namespace glass
