#include "optim/plateau.h"

#include <algorithm>
#include <cmath>

namespace glass {

using Mode = PlateauOptions::Mode;
using Threshold = PlateauOptions::Threshold;

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options)
    : optimizer_(optimizer),
      options_(options),
      best_(options.mode == Mode::min ? INFINITY : -INFINITY) {
  if (!(options.factor > 0 && options.factor < 1))
    fail("ReduceLROnPlateau", "factor must be between 0 and 1", options.factor);
}

bool ReduceLROnPlateau::better(double metric) const {
  const bool less = options_.mode == Mode::min;
  if (std::isinf(best_)) return less ? metric < best_ : metric > best_;
  const double margin =
      options_.threshold_mode == Threshold::abs ? options_.threshold : options_.threshold * best_;
  return less ? metric < best_ - margin : metric > best_ + margin;
}

void ReduceLROnPlateau::step(double metric) {
  if (better(metric)) {
    best_ = metric;
    bad_reports_ = 0;
  } else {
    ++bad_reports_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_reports_ = 0;
  }
  if (bad_reports_ <= options_.patience) return;
  for (size_t group = 0; group < optimizer_.num_groups(); ++group) {
    const double lr = optimizer_.lr(group), next = std::max(lr * options_.factor, options_.min_lr);
    if (lr - next > options_.eps) optimizer_.set_lr(next, group);
  }
  cooldown_left_ = options_.cooldown;
  bad_reports_ = 0;
}

NamedTensors ReduceLROnPlateau::state_dict() const {
  NamedTensors state;
  state.add("best", Tensor::scalar(best_, kFloat64));
  state.add("bad_reports", Tensor::from<int64_t>({bad_reports_}, {}));
  state.add("cooldown_left", Tensor::from<int64_t>({cooldown_left_}, {}));
  return state;
}

void ReduceLROnPlateau::load_state_dict(const NamedTensors& state) {
  const Tensor& best = state.at("best");
  const Tensor& bad_reports = state.at("bad_reports");
  const Tensor& cooldown_left = state.at("cooldown_left");
  for (const Tensor* entry : {&best, &bad_reports, &cooldown_left})
    if (entry->numel() != 1 || entry->dtype() != (entry == &best ? kFloat64 : kInt64))
      fail("ReduceLROnPlateau", "an entry of the state is no single number", entry->shape(), " ",
           entry->dtype());
  best_ = best.item();
  bad_reports_ = bad_reports.data<int64_t>()[0];
  cooldown_left_ = cooldown_left.data<int64_t>()[0];
}

}  // namespace glass
