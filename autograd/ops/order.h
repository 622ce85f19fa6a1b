#pragma once

#include "autograd/ops/reduction.h"

namespace glass {

/// x in ascending order along dim, and where each value stood (int64). Equal ones keep their order;
/// NaN counts as largest.
ValueIndex sort(In x, int64_t dim = -1, bool descending = false);
/// The k largest (or smallest) values along dim, from the largest (smallest) on, and where they
/// stood; of equal ones the first. k beyond the axis: Error.
ValueIndex topk(In x, int64_t k, int64_t dim = -1, bool largest = true);

}  // namespace glass
