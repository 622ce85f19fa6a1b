#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

// Cutting and joining along an axis.
Var slice(In x, int64_t dim, int64_t start, int64_t end = kEnd, int64_t step = 1);
Var narrow(In x, int64_t dim, int64_t start, int64_t length);
Var select(In x, int64_t dim, int64_t index);
/// Pieces of split_size along dim; the last may be shorter.
std::vector<Var> split(In x, int64_t split_size, int64_t dim = 0);
/// Pieces of these sizes, which must add up to the axis.
std::vector<Var> split(In x, const std::vector<int64_t>& sizes, int64_t dim = 0);
std::vector<Var> chunk(In x, int64_t chunks, int64_t dim = 0);
/// Joined along dim: shapes agree but for that size. file and line: the caller's.
Var cat(const std::vector<Var>& tensors, int64_t dim = 0, const char* file = __builtin_FILE(),
        int line = __builtin_LINE());
/// Joined along a new dim: equal shapes.
Var stack(const std::vector<Var>& tensors, int64_t dim = 0, const char* file = __builtin_FILE(),
          int line = __builtin_LINE());
/// x between before and after zeros along dim.
Var pad_zeros(In x, int64_t dim, int64_t before, int64_t after);

}  // namespace glass
