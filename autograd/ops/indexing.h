#pragma once

#include "autograd/var.h"

namespace glass {

// index: int64, without gradient, every value in [0, size).
Var gather(In x, int64_t dim, const Var& index);
Var scatter_add(In x, int64_t dim, const Var& index, In src);
Var index_select(In x, int64_t dim, const Var& index);  ///< index: 1-d
/// x with value (a number or one element) at every place along dim that index (1-d) names.
Var index_fill(In x, int64_t dim, const Var& index, In value);
/// Rows of weight [N, D] named by ids (any shape): [..., D]. The row padding_idx gets no gradient.
Var embedding(const Var& ids, In weight, int64_t padding_idx = -1);

}  // namespace glass
