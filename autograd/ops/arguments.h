#pragma once

#include "autograd/ops/cross_entropy.h"
#include "autograd/registry.h"

// Arguments that many replays read, by PyTorch's names.
namespace glass {

/// Axes: a number, a list, or absent (empty: all).
Dims dims_argument(Replay& r, const char* name = "dim");
/// mean, sum or none.
LossReduction reduction_argument(Replay& r);
/// The input in the type that the argument dtype names, for functions that convert it first.
Var converted_input(Replay& r);

}  // namespace glass
