#pragma once

#include "autograd/ops/cross_entropy.h"
#include "autograd/registry.h"

// Arguments that many replays read, by PyTorch's names.
namespace glass {

/// Axes: a number, a list, or absent (empty: all).
Dims dims_argument(Replay& r, const char* name = "dim");
/// mean, sum or none.
LossReduction reduction_argument(Replay& r);
/// dtype, for functions that compute in another type first: only the input's own is known here.
void check_dtype_argument(Replay& r);

}  // namespace glass
