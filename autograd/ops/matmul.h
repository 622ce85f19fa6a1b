#pragma once

#include "autograd/var.h"

namespace glass {

/// Matrix product as in torch.matmul: 1-d operands are vectors, leading dims broadcast.
Var matmul(In a, In b);
/// y = x·weightᵀ + bias; x [..., in], weight [out, in], bias [out] (may be undefined).
Var linear(In x, In weight, const Var& bias = Var());

}  // namespace glass
