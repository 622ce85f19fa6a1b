#pragma once

#include "autograd/var.h"

namespace glass {

/// How single losses become one: their mean, their sum, or not at all.
enum class LossReduction : uint8_t { mean, sum, none };

/// The losses, reduced.
Var reduce_loss(LossReduction reduction, const Var& losses);

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

}  // namespace glass
