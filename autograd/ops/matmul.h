#pragma once

#include "autograd/var.h"

namespace glass {

/// Matrix product as in torch.matmul: 1-d operands are vectors, leading dims broadcast.
Var matmul(In a, In b);
/// a·bᵀ for every leading index, as scores of queries [B, T, d] against keys [B, S, d]. Of keys
/// that are used several times the gradient's products are gathered and done as one.
Var matmul_transposed(In a, In b);
/// y = x·weightᵀ + bias; x [..., in], weight [out, in], bias [out] (may be undefined).
Var linear(In x, In weight, const Var& bias = Var());

}  // namespace glass
