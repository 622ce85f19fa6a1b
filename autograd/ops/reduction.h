#pragma once

#include "autograd/var.h"

namespace glass {

// Over dims (none given: all); keepdim leaves sizes of 1 in their place.
Var sum(In x, const Dims& dims = {}, bool keepdim = false);
Var mean(In x, const Dims& dims = {}, bool keepdim = false);
/// Largest value; ties split the gradient evenly.
Var amax(In x, const Dims& dims = {}, bool keepdim = false);
Var amin(In x, const Dims& dims = {}, bool keepdim = false);
Var prod(In x, const Dims& dims = {}, bool keepdim = false);

/// A value and the place (int64) where it stands.
struct ValueIndex {
  Var values, indices;
};
/// Largest value along dim and its index; ties: the first, which gets the whole gradient.
ValueIndex max(In x, int64_t dim, bool keepdim = false);
ValueIndex min(In x, int64_t dim, bool keepdim = false);
Var argmax(In x, int64_t dim, bool keepdim = false);
Var argmin(In x, int64_t dim, bool keepdim = false);

}  // namespace glass
