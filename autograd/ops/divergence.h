#pragma once

#include "autograd/ops/cross_entropy.h"

namespace glass {

/// -target·log(input) - (1 - target)·log(1 - input), each log at least -100 and the slope's
/// denominator input·(1 - input) at least 1e-12. input in [0, 1], target of its shape; weight
/// (may be undefined) broadcasts to it.
Var binary_cross_entropy(In input, In target, LossReduction reduction = LossReduction::mean,
                         const Tensor& weight = {});

struct KlOptions {
  LossReduction reduction = LossReduction::mean;
  bool batch_mean =
      false;  ///< the sum divided by the size of the first axis; reduction is not read
  bool log_target = false;  ///< target holds logarithms too
};
/// target·(log target - input), input being logarithms, of one shape; 0 where target is 0.
Var kl_div(In input, In target, const KlOptions& options = {});

}  // namespace glass
