#pragma once

#include "autograd/var.h"

namespace glass {

/// How single losses become one: their mean, their sum, or not at all.
enum class LossReduction : uint8_t { mean, sum, none };

struct CrossEntropyOptions {
  int64_t ignore_index = -100;  ///< a target of this id counts nowhere
  double label_smoothing = 0;  ///< ε in [0, 1]: ε / C of the target goes to each of the C classes
  LossReduction reduction = LossReduction::mean;
  Tensor weight = {};      ///< [C], one per class; undefined: all 1
  int64_t class_dim = -1;  ///< where the classes stand: the last axis; 1 as in PyTorch's [N, C, d]
};

/// -log softmax(input)[target] per place. input [..., C]; target int64 of the other axes' shape,
/// each ignore_index or in [0, C). mean divides by the (weighted) number of targets that count;
/// when none does, the loss and all gradients are 0.
/// With a floating target of input's shape: -Σ target·log softmax(input) over the classes, and mean
/// divides by the number of places; then ignore_index does not count.
Var cross_entropy(In input, const Var& target, const CrossEntropyOptions& options = {});

/// -log_probs[target] per place, as cross_entropy without softmax; no label smoothing.
Var nll_loss(In log_probs, const Var& target, const CrossEntropyOptions& options = {});

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
