#pragma once

#include "autograd/var.h"

namespace glass {

// Products of given shapes; the type of both is the same. Other shapes: Error.
Var mm(In a, In b);   ///< [N, K] · [K, M]
Var bmm(In a, In b);  ///< [B, N, K] · [B, K, M]
Var mv(In a, In b);   ///< [N, K] · [K]
Var dot(In a, In b);  ///< [N] · [N], 0-d
/// beta·input + alpha·a·b, a [N, K], b [K, M], input broadcasting to [N, M]. With beta 0 input does
/// not count, whatever it holds.
Var addmm(In input, In a, In b, double beta = 1, double alpha = 1);

/// (Σ |x|^p)^(1/p) over dims (none given: all), without overflow. Infinite p: the largest |x|, the
/// smallest for -∞; 0: how many are not 0. No elements: 0, or Error where p is infinite or
/// negative.
Var norm(In x, double p = 2, const Dims& dims = {}, bool keepdim = false);

namespace linalg {
/// Over one axis norm() of that order. Over two, (rows, columns), the norm of matrices: 1 and -1
/// the largest and smallest sum of |x| of a column, ±∞ of a row; other orders: Error. No dims: all.
Var norm(In x, double order, const Dims& dims = {}, bool keepdim = false);
}  // namespace linalg

}  // namespace glass
