#include "optim/schedule.h"

#include <algorithm>
#include <cmath>

namespace glass {
namespace {

double real(int64_t n) { return static_cast<double>(n); }

// From high to low as a half wave of the cosine; part goes from 0 to 1.
double half_wave(double high, double low, double part) {
  return low + (high - low) * (1 + std::cos(M_PI * part)) / 2;
}

void check_positive(const char* schedule, const char* what, int64_t value) {
  if (value < 1) fail(schedule, "a length must be positive", what, " is ", value);
}

}  // namespace

double ConstantLR::operator()(double base_lr, int64_t step) const {
  return step < total_iters ? base_lr * factor : base_lr;
}

double LinearLR::operator()(double base_lr, int64_t step) const {
  const double part = total_iters > 0 ? real(std::min(step, total_iters)) / real(total_iters) : 1;
  return base_lr * (start_factor + (end_factor - start_factor) * part);
}

double StepLR::operator()(double base_lr, int64_t step) const {
  check_positive("StepLR", "step_size", step_size);
  return base_lr * std::pow(gamma, real(step / step_size));
}

double MultiStepLR::operator()(double base_lr, int64_t step) const {
  const auto reached = std::count_if(milestones.begin(), milestones.end(),
                                     [&](int64_t milestone) { return milestone <= step; });
  return base_lr * std::pow(gamma, real(reached));
}

double ExponentialLR::operator()(double base_lr, int64_t step) const {
  return base_lr * std::pow(gamma, real(step));
}

double PolynomialLR::operator()(double base_lr, int64_t step) const {
  check_positive("PolynomialLR", "total_iters", total_iters);
  return base_lr * std::pow(1 - real(std::min(step, total_iters)) / real(total_iters), power);
}

double CosineAnnealingLR::operator()(double base_lr, int64_t step) const {
  check_positive("CosineAnnealingLR", "t_max", t_max);
  return half_wave(base_lr, eta_min, real(step) / real(t_max));
}

double CosineAnnealingWarmRestarts::operator()(double base_lr, int64_t step) const {
  check_positive("CosineAnnealingWarmRestarts", "t_0", t_0);
  check_positive("CosineAnnealingWarmRestarts", "t_mult", t_mult);
  int64_t length = t_0;
  if (t_mult == 1) step %= length;
  while (step >= length) {
    step -= length;
    length *= t_mult;
  }
  return half_wave(base_lr, eta_min, real(step) / real(length));
}

// The value at a step: start up to top, (three phases: down to between,) down to end.
double OneCycleLR::at(int64_t step, double start, double top, double between, double end) const {
  check_positive("OneCycleLR", "total_steps", total_steps);
  if (!(pct_start >= 0 && pct_start <= 1))
    fail("OneCycleLR", "pct_start must be in [0, 1]", pct_start);
  if (step < 0 || step >= total_steps)
    fail("OneCycleLR", "there is no such step", step, " of ", total_steps);
  const double up = pct_start * real(total_steps) - 1, last = real(total_steps) - 1;
  const double down = three_phase ? 2 * up : last;
  struct Phase {
    double begin, end, from, to;
  };
  const Phase phases[] = {{0, up, start, top},
                          {up, down, top, three_phase ? between : end},
                          {down, last, between, end}};
  for (int i = 0;; ++i) {
    const Phase& phase = phases[i];
    if (real(step) > phase.end && i < (three_phase ? 2 : 1)) continue;
    const double part = (real(step) - phase.begin) / (phase.end - phase.begin);
    return anneal_strategy == Anneal::cos ? half_wave(phase.from, phase.to, part)
                                          : phase.from + (phase.to - phase.from) * part;
  }
}

double OneCycleLR::operator()(double, int64_t step) const {
  const double start = max_lr / div_factor;
  return at(step, start, max_lr, start, start / final_div_factor);
}

double OneCycleLR::momentum(int64_t step) const {
  return at(step, max_momentum, base_momentum, max_momentum, max_momentum);
}

double LinearWarmup::operator()(double base_lr, int64_t step) const {
  if (step < steps) return base_lr * real(step + 1) / real(steps);
  return then ? then(base_lr, step - steps) : base_lr;
}

double NoamLR::operator()(double base_lr, int64_t step) const {
  check_positive("NoamLR", "model_size", model_size);
  check_positive("NoamLR", "warmup", warmup);
  const double s = real(step + 1), w = real(warmup);
  return base_lr / std::sqrt(real(model_size)) * std::min(1 / std::sqrt(s), s / (w * std::sqrt(w)));
}

LRScheduler::LRScheduler(Optimizer& optimizer, Schedule schedule)
    : optimizer_(optimizer), schedule_(std::move(schedule)) {
  if (!schedule_) fail("LRScheduler", "needs a schedule");
  for (size_t group = 0; group < optimizer.num_groups(); ++group)
    base_lrs_.push_back(optimizer.lr(group));
  apply();
}

void LRScheduler::step() {
  ++steps_;
  apply();
}

void LRScheduler::apply() {
  for (size_t group = 0; group < base_lrs_.size(); ++group)
    optimizer_.set_lr(schedule_(base_lrs_[group], steps_), group);
}

NamedTensors LRScheduler::state_dict() const {
  NamedTensors state;
  state.add("steps", Tensor::from<int64_t>({steps_}, {}));
  state.add("base_lrs", Tensor::from(base_lrs_, {static_cast<int64_t>(base_lrs_.size())}));
  return state;
}

void LRScheduler::load_state_dict(const NamedTensors& state) {
  const Tensor &steps = state.at("steps"), &base_lrs = state.at("base_lrs");
  if (steps.numel() != 1 || steps.dtype() != kInt64 || steps.data<int64_t>()[0] < 0)
    fail("LRScheduler", "steps must be one number of type int64, not negative", steps.shape(), " ",
         steps.dtype());
  if (base_lrs.dtype() != kFloat64 || base_lrs.numel() != static_cast<int64_t>(base_lrs_.size()))
    fail("LRScheduler", "base_lrs must have one float64 per group", base_lrs.shape(), " ",
         base_lrs.dtype(), " for ", base_lrs_.size(), " groups");
  steps_ = steps.data<int64_t>()[0];
  base_lrs_ = base_lrs.to_vector<double>();
  apply();
}

}  // namespace glass
