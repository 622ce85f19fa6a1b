#pragma once

#include <vector>

#include "autograd/ops/parts.h"
#include "autograd/var.h"

namespace glass {

// Views and their kin. Derivatives move the gradient back to where the values came from.
Var alias(In x);  ///< the same value as a new node
/// x in another type. Between float32 and float64 the gradient is converted back; int64 and bool
/// have none.
Var to(In x, DType dtype);
Var reshape(In x, const Shape& shape);  ///< one size may be -1
Var flatten(In x, int64_t start_dim = 0, int64_t end_dim = -1);
Var permute(In x, const Dims& dims);
Var transpose(In x, int64_t dim0, int64_t dim1);
Var unsqueeze(In x, int64_t dim);
Var squeeze(In x, int64_t dim);
Var squeeze(In x);  ///< all axes of size 1
Var expand(In x, const Shape& shape);
/// Sums over the axes in which x is larger than shape: the opposite of expand.
Var sum_to(In x, const Shape& shape);

}  // namespace glass
