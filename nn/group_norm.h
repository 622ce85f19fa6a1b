#pragma once

#include "nn/module.h"

namespace glass {

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;
};

/// y = (x - mean) / √(variance + eps) · weight + bias over each group of channels of each row; x
/// [N, C, ...]. Starts with weight 1 and bias 0.
class GroupNorm : public Module {
 public:
  GroupNorm(int64_t num_groups, int64_t num_channels, const GroupNormOptions& options = {});
  void visit(Visitor& v) override;

  Var operator()(In x) const;

  Var weight, bias;  ///< [C], or undefined
  int64_t num_groups, num_channels;
  double eps;
};

}  // namespace glass
