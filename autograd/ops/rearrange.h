#pragma once

#include "autograd/var.h"

namespace glass {

/// x one after the other, repeats[i] times along axis i; more repeats than axes: new axes in front.
Var repeat(In x, const Dims& repeats);
/// x from the end to the start along dims.
Var flip(In x, const Dims& dims);
/// x moved on by shifts[i] along dims[i]; what leaves at the end comes in at the start. Without
/// dims: one shift of the elements in row-major order.
Var roll(In x, const std::vector<int64_t>& shifts, const Dims& dims = {});
// x [..., N, M], and 0 above (tril) or below (triu) the diagonal, which starts at column diagonal.
Var tril(In x, int64_t diagonal = 0);
Var triu(In x, int64_t diagonal = 0);
/// The elements of x where mask (bool) is true, 1-d; x and mask broadcast.
Var masked_select(In x, const Var& mask);

}  // namespace glass
