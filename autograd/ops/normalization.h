#pragma once

#include "autograd/var.h"

// y = (x - mean) / √(variance + eps) · weight + bias. The variance is that of all elements (divided
// by their number). weight and bias may be undefined.
namespace glass {

/// Over the last axes, which have normalized_shape; so have weight and bias.
Var layer_norm(In x, const Shape& normalized_shape, const Var& weight = {}, const Var& bias = {},
               double eps = 1e-5);

/// x [N, C, ...] over each of num_groups groups of channels; weight and bias [C].
Var group_norm(In x, int64_t num_groups, const Var& weight = {}, const Var& bias = {},
               double eps = 1e-5);

/// Averages over batches, [C] each, or undefined. They are changed in place: (1 - momentum)·old +
/// momentum·new, where the new variance is divided by the number of elements less one.
struct RunningStats {
  Tensor mean = {}, variance = {};
  double momentum = 0.1;
};

/// x [N, C] or [N, C, ...], each channel over the batch and the other axes; weight and bias [C].
/// training: by the batch's own mean and variance, which go into running; otherwise by running.
Var batch_norm(In x, const RunningStats& running, const Var& weight = {}, const Var& bias = {},
               bool training = false, double eps = 1e-5);

/// x [N, C, ...] over each channel of each row; weight and bias [C]. Without use_input_stats by
/// running, as batch_norm.
Var instance_norm(In x, const Var& weight = {}, const Var& bias = {}, double eps = 1e-5,
                  const RunningStats& running = {}, bool use_input_stats = true);

}  // namespace glass
