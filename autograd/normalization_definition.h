#pragma once

#include "autograd/var.h"

namespace glass {

/// A normalisation in simple ops: x seen in a shape, the axes whose elements share mean and
/// variance, and the shape in which weight and bias stand beside it.
struct NormView {
  Shape shape;
  Dims over;
  Shape affine;
};
Var normalize_by_definition(const Var& x, const NormView& view, const Var& weight, const Var& bias,
                            double eps);

}  // namespace glass
