#pragma once

#include "autograd/var.h"

namespace glass {

// Over dims (none given: all); keepdim leaves sizes of 1 in their place. correction is taken from
// the number n of elements: 1 for a sample, 0 for a whole population. n <= correction: NaN or ∞.
Var var(In x, const Dims& dims = {}, bool keepdim = false, double correction = 1);
/// The root of var; slope 0 where it is 0. PyTorch's std, a name that C++ keeps for itself.
Var standard_deviation(In x, const Dims& dims = {}, bool keepdim = false, double correction = 1);

}  // namespace glass
