#pragma once

#include "nn/module.h"

namespace glass {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;
};

/// y = (x - mean) / √(variance + eps) · weight + bias over the last axes of x, which have
/// normalized_shape. Starts with weight 1 and bias 0.
class LayerNorm : public Module {
 public:
  explicit LayerNorm(const Shape& normalized_shape, const LayerNormOptions& options = {});
  void visit(Visitor& v) override;

  Var operator()(In x) const { return layer_norm(x, normalized_shape, weight, bias, eps); }

  Var weight, bias;  ///< [normalized_shape], or undefined
  Shape normalized_shape;
  double eps;
};

}  // namespace glass
