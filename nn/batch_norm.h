#pragma once

#include <optional>

#include "nn/channel_norm.h"

namespace glass {

struct BatchNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  ///< none: the plain average over all batches so far
  bool affine = true;
  bool track_running_stats = true;
};

/// What BatchNorm1d and BatchNorm2d share: y = (x - mean) / √(variance + eps) · weight + bias for
/// each channel over the batch and the other axes. In training (and always without running
/// statistics) by the batch's own mean and variance, which move the running ones; in evaluation by
/// those.
class BatchNorm : public ChannelNorm {
 public:
  Var operator()(In x);

  BatchNormOptions options;

 protected:
  BatchNorm(const char* name, const char* input, int fewest_axes, int most_axes,
            int64_t num_features, const BatchNormOptions& options);

 private:
  const char* input_;
  int fewest_axes_, most_axes_;
};

/// x [N, C] or [N, C, L].
class BatchNorm1d : public BatchNorm {
 public:
  explicit BatchNorm1d(int64_t num_features, const BatchNormOptions& options = {})
      : BatchNorm("BatchNorm1d", "[N, C] or [N, C, L]", 2, 3, num_features, options) {}
};

/// x [N, C, H, W].
class BatchNorm2d : public BatchNorm {
 public:
  explicit BatchNorm2d(int64_t num_features, const BatchNormOptions& options = {})
      : BatchNorm("BatchNorm2d", "[N, C, H, W]", 4, 4, num_features, options) {}
};

}  // namespace glass
