#pragma once

#include "nn/module.h"

namespace glass {

struct InstanceNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = false;
  bool track_running_stats = false;
};

/// What InstanceNorm1d and InstanceNorm2d share: y = (x - mean) / √(variance + eps) · weight + bias
/// for each channel of each row. With running statistics, in evaluation, by those instead.
class InstanceNorm : public Module {
 public:
  void visit(Visitor& v) override;

  Var operator()(In x) const;

  Var weight, bias;                  ///< [C], or undefined
  Tensor running_mean, running_var;  ///< [C], or undefined
  Tensor num_batches_tracked;        ///< 0-d int64, or undefined; stays 0, as in PyTorch
  int64_t num_features;
  InstanceNormOptions options;

 protected:
  InstanceNorm(const char* name, int axes, int64_t num_features,
               const InstanceNormOptions& options);

 private:
  const char* name_;
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
