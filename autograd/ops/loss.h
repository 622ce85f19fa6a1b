#pragma once

#include "autograd/ops/cross_entropy.h"

namespace glass {

// Between input and target of one shape and type.
Var mse_loss(In input, In target, LossReduction reduction = LossReduction::mean);  ///< (x - t)²
Var l1_loss(In input, In target, LossReduction reduction = LossReduction::mean);   ///< |x - t|
/// With d = |x - t|: d² / (2·beta) below beta, else d - beta / 2.
Var smooth_l1_loss(In input, In target, LossReduction reduction = LossReduction::mean,
                   double beta = 1);
/// With d = |x - t|: d² / 2 below delta, else delta·(d - delta / 2).
Var huber_loss(In input, In target, LossReduction reduction = LossReduction::mean,
               double delta = 1);

struct BceOptions {
  LossReduction reduction = LossReduction::mean;
  Tensor weight = {};      ///< of every element; broadcasts to input
  Tensor pos_weight = {};  ///< of the part of target; broadcasts to input
};
/// -target·log σ(input) - (1 - target)·log σ(-input).
Var binary_cross_entropy_with_logits(In input, In target, const BceOptions& options = {});

}  // namespace glass
