#pragma once

#include "tensor/tensor.h"

// One step of an optimiser on one parameter: dense tensors of one floating type and shape, changed
// in place.
namespace glass {

/// g = ±grad + weight_decay·p;  m = momentum·m + keep·g;  p -= lr·(nesterov ? g + momentum·m : m).
/// Without m: p -= lr·g.
struct SgdStep {
  Tensor param, grad;
  Tensor momentum_buffer;  // m, or undefined
  double lr, weight_decay, momentum, keep;
  bool nesterov, maximize;
};

/// g = ±grad + weight_decay·p;  p *= shrink;  m = β₁·m + (1 - β₁)·g;  v = β₂·v + (1 - β₂)·g²;
/// p -= step_size·m / (√v·root_scale + ε), where v is the largest so far if there is max_v.
struct AdamStep {
  Tensor param, grad, m, v;
  Tensor max_v;  // or undefined
  double step_size, root_scale, shrink, weight_decay, beta1, beta2, eps;
  bool maximize;
};

}  // namespace glass
