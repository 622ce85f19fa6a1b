#pragma once

#include "optim/optimizer.h"

namespace glass {

struct PlateauOptions {
  enum class Mode : uint8_t { min, max } mode = Mode::min;  ///< what counts as better
  double factor = 0.1;
  int64_t patience = 10;    ///< how many reports in a row without a better one are borne
  double threshold = 1e-4;  ///< how much better it must be
  enum class Threshold : uint8_t { rel, abs } threshold_mode = Threshold::rel;  ///< of the best
  int64_t cooldown = 0;  ///< reports after a reduction that do not count
  double min_lr = 0;
  double eps = 1e-8;  ///< smaller changes of the rate are not made
};

/// Multiplies the learning rates by factor when a metric has not got better for more than patience
/// reports. NaN is never better. The optimiser, which holds the rates, must outlive it.
class ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});
  void step(double metric);  ///< reports a metric

  double best() const { return best_; }
  /// What has been seen so far; the rates are in the optimiser's state.
  NamedTensors state_dict() const;
  void load_state_dict(const NamedTensors& state);

 private:
  bool better(double metric) const;
  Optimizer& optimizer_;
  PlateauOptions options_;
  double best_;
  int64_t bad_reports_ = 0, cooldown_left_ = 0;
};

}  // namespace glass
