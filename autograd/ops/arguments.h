#pragma once

#include "autograd/ops/cross_entropy.h"
#include "autograd/registry.h"

// Arguments that many replays read, by PyTorch's names.
namespace glass {

/// Axes: a number, a list, or absent (empty: all).
Dims dims_argument(Replay& r, const char* name = "dim");
/// The number of an axis in a list of one number per axis or one for all. Throws Error for a list
/// of another length, or a number below least.
int64_t number_of_axis(const char* op, const char* what, const Dims& list, size_t axis, size_t axes,
                       int64_t least);
/// mean, sum or none.
LossReduction reduction_argument(Replay& r);
/// The input in the type that the argument dtype names, for functions that convert it first.
Var converted_input(Replay& r);

}  // namespace glass
