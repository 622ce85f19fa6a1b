#pragma once

#include "nn/channel_norm.h"

namespace glass {

struct InstanceNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = false;
  bool track_running_stats = false;
};

/// What InstanceNorm1d and InstanceNorm2d share: y = (x - mean) / √(variance + eps) · weight + bias
/// for each channel of each row. With running statistics, in evaluation, by those instead;
/// num_batches_tracked stays 0, as in PyTorch.
class InstanceNorm : public ChannelNorm {
 public:
  Var operator()(In x) const;

  InstanceNormOptions options;

 protected:
  InstanceNorm(const char* name, int axes, int64_t num_features,
               const InstanceNormOptions& options);

 private:
  int axes_;
};

/// x [N, C, L] or [C, L].
class InstanceNorm1d : public InstanceNorm {
 public:
  explicit InstanceNorm1d(int64_t num_features, const InstanceNormOptions& options = {})
      : InstanceNorm("InstanceNorm1d", 1, num_features, options) {}
};

/// x [N, C, H, W] or [C, H, W].
class InstanceNorm2d : public InstanceNorm {
 public:
  explicit InstanceNorm2d(int64_t num_features, const InstanceNormOptions& options = {})
      : InstanceNorm("InstanceNorm2d", 2, num_features, options) {}
};

}  // namespace glass
