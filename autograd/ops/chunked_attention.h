#pragma once

#include "autograd/var.h"

namespace glass {

/// softmax(query·keyᵀ·scale among allowed)·value, exactly, by blocks of `chunk` query rows: the
/// [T, S] matrix is never held, forward or backward, so the memory is O(T + S) instead of O(T·S).
/// query [N, T, D], key [N, S, D], value [N, S, K]; allowed: bool, broadcast to [N, T, S] (without
/// a copy of that size), undefined: all. Returns [N, T, K]. A query with nothing allowed gives 0,
/// also as gradient; keys that no query may see are never read (they may hold NaN).
Var chunked_attention(In query, In key, In value, const Tensor& allowed, double scale,
                      int64_t chunk = 128);

}  // namespace glass
