#pragma once

#include "autograd/var.h"

namespace glass {

// index: int64, without gradient, every value in [0, size).
Var gather(In x, int64_t dim, const Var& index);
Var scatter_add(In x, int64_t dim, const Var& index, In src);
/// index: 1-d; of one element where x is 0-d, and then y is 0-d too.
Var index_select(In x, int64_t dim, const Var& index);
/// x with value (a number or one element) at every place along dim that index (1-d) names.
Var index_fill(In x, int64_t dim, const Var& index, In value);
/// Rows of weight [N, D] named by ids (any shape): [..., D]. The row padding_idx gets no gradient.
/// scale_grad_by_freq divides a row's gradient by how often ids name it.
Var embedding(const Var& ids, In weight, int64_t padding_idx = -1, bool scale_grad_by_freq = false);

}  // namespace glass
