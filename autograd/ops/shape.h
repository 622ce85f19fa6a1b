#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

// Views and their kin. Derivatives move the gradient back to where the values came from.
Var alias(In x);                        ///< the same value as a new node
Var reshape(In x, const Shape& shape);  ///< one size may be -1
Var flatten(In x, int64_t start_dim = 0, int64_t end_dim = -1);
Var permute(In x, const Dims& dims);
Var transpose(In x, int64_t dim0, int64_t dim1);
Var unsqueeze(In x, int64_t dim);
Var squeeze(In x, int64_t dim);
Var expand(In x, const Shape& shape);
Var slice(In x, int64_t dim, int64_t start, int64_t end = kEnd, int64_t step = 1);
Var narrow(In x, int64_t dim, int64_t start, int64_t length);
Var select(In x, int64_t dim, int64_t index);
/// Pieces of split_size along dim; the last may be shorter.
std::vector<Var> split(In x, int64_t split_size, int64_t dim = 0);
std::vector<Var> chunk(In x, int64_t chunks, int64_t dim = 0);
Var cat(const std::vector<Var>& tensors, int64_t dim = 0);
Var stack(const std::vector<Var>& tensors, int64_t dim = 0);
/// x between before and after zeros along dim.
Var pad_zeros(In x, int64_t dim, int64_t before, int64_t after);
/// Sums over the axes in which x is larger than shape: the opposite of expand.
Var sum_to(In x, const Shape& shape);

}  // namespace glass
