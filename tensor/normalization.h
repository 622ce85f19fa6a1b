#pragma once

#include "tensor/tensor.h"

// y = (x - mean) / √(variance + eps) · weight + bias, with mean and variance over sets of elements.
namespace glass {

/// Where the elements of a set lie in a dense tensor: set r begins at r·set_step and is `blocks`
/// runs of `inner` elements, block_step apart. A run has one weight and one bias, number (r modulo
/// groups)·group_step + (run)·run_step.
///
///                  sets  blocks  inner  set_step  block_step  groups  group_step  run_step
///   layer norm     rows  n       1      n         1           1       0           1
///   group norm     N·G   C/G     S      C/G·S     S           G       C/G         1
///   batch norm     C     N       S      S         C·S         C       1           0
struct NormSets {
  int64_t sets = 0, blocks = 0, inner = 0, set_step = 0, block_step = 0;
  int64_t groups = 1, group_step = 0, run_step = 0;

  int64_t count() const { return blocks * inner; }
  int64_t affine(int64_t set, int64_t block) const {
    return set % groups * group_step + block * run_step;
  }
};

/// Dense tensors of one floating type; weight and bias may be undefined.
struct Normalization {
  NormSets sets{};
  double eps = 0;
  Tensor x{}, weight{}, bias{};
  Tensor y{}, mean{}, variance{};  // out; mean and variance [sets]
};

struct NormalizationBackward {
  NormSets sets{};
  double eps = 0;
  Tensor x{}, weight{}, mean{}, variance{}, dy{};
  Tensor dx{}, dweight{}, dbias{};  // out; each may be undefined
};

}  // namespace glass
