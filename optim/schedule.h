#pragma once

#include <functional>
#include <vector>

#include "optim/optimizer.h"

// Learning rates by step. A schedule is a function of the base rate and the number of scheduler
// steps taken so far (0 for the first update), so that it has no memory and no clock.
namespace glass {

using Schedule = std::function<double(double base_lr, int64_t step)>;

/// factor·base for total_iters steps, then base.
struct ConstantLR {
  double factor = 1.0 / 3;
  int64_t total_iters = 5;
  double operator()(double base_lr, int64_t step) const;
};
/// base·factor, factor going evenly from start_factor to end_factor in total_iters steps, then
/// staying.
struct LinearLR {
  double start_factor = 1.0 / 3, end_factor = 1;
  int64_t total_iters = 5;
  double operator()(double base_lr, int64_t step) const;
};
/// base·gamma^⌊step / step_size⌋.
struct StepLR {
  int64_t step_size;
  double gamma = 0.1;
  double operator()(double base_lr, int64_t step) const;
};
/// base·gamma^(number of milestones reached).
struct MultiStepLR {
  std::vector<int64_t> milestones;
  double gamma = 0.1;
  double operator()(double base_lr, int64_t step) const;
};
/// base·gamma^step.
struct ExponentialLR {
  double gamma;
  double operator()(double base_lr, int64_t step) const;
};
/// base·(1 - step / total_iters)^power, then 0.
struct PolynomialLR {
  int64_t total_iters = 5;
  double power = 1;
  double operator()(double base_lr, int64_t step) const;
};
/// eta_min + (base - eta_min)·(1 + cos(π·step / t_max)) / 2. After t_max it rises again, as in
/// PyTorch.
struct CosineAnnealingLR {
  int64_t t_max;
  double eta_min = 0;
  double operator()(double base_lr, int64_t step) const;
};
/// The same from base to eta_min over t_0 steps, then again over t_0·t_mult, and so on (Loshchilov
/// and Hutter 2016).
struct CosineAnnealingWarmRestarts {
  int64_t t_0, t_mult = 1;
  double eta_min = 0;
  double operator()(double base_lr, int64_t step) const;
};
/// One cycle (Smith and Topin 2017): from max_lr/div_factor up to max_lr over the first pct_start
/// of total_steps, then down to max_lr/(div_factor·final_div_factor); with three_phase first down
/// to where it began, as fast as it rose. The base rate does not count. Momentum goes the other
/// way.
struct OneCycleLR {
  enum class Anneal : uint8_t { cos, linear };
  double max_lr;
  int64_t total_steps;
  double pct_start = 0.3;
  Anneal anneal_strategy = Anneal::cos;
  double base_momentum = 0.85, max_momentum = 0.95;
  double div_factor = 25, final_div_factor = 1e4;
  bool three_phase = false;
  double operator()(double base_lr, int64_t step) const;
  /// The momentum (Adam: β₁) that goes with the step's rate.
  double momentum(int64_t step) const;

 private:
  double at(int64_t step, double start, double top, double between, double end) const;
};
/// base·(step + 1) / steps until base is reached; after that `then`, which counts from 0 again
/// (none: stays).
struct LinearWarmup {
  int64_t steps;
  Schedule then = {};
  double operator()(double base_lr, int64_t step) const;
};
/// base·model_size^(-½)·min(s^(-½), s·warmup^(-3/2)) with s = step + 1 (Vaswani et al. 2017).
struct NoamLR {
  int64_t model_size, warmup;
  double operator()(double base_lr, int64_t step) const;
};

/// Applies a schedule to all groups of an optimiser, which must outlive it. Construction sets the
/// rates of the first update; step() those of the next.
class LRScheduler {
 public:
  LRScheduler(Optimizer& optimizer, Schedule schedule);
  void step();
  int64_t steps() const { return steps_; }

  NamedTensors state_dict() const;
  /// Continues as saved and sets the optimiser's rates. Throws Error when the state does not fit,
  /// and then nothing has changed.
  void load_state_dict(const NamedTensors& state);

 private:
  void apply();
  Optimizer& optimizer_;
  Schedule schedule_;
  std::vector<double> base_lrs_;
  int64_t steps_ = 0;
};

}  // namespace glass
