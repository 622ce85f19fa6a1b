#pragma once

#include "autograd/var.h"

// Windows of keys, as local attention reads them: query t of batch row n sees the keys
// start[n, t] … start[n, t] + W - 1. Keys outside 0 … S-1 count as 0: score 0, no contribution, no
// gradient. What lies outside every window is never read (it may hold NaN). The cost is O(T·W·A),
// whatever S is. N batch, T queries, S keys, W window, A and K features; start [N, T] int64, any
// values; keys and values are read in place when their last axis is dense, else copied.
//
// The functions are closed under differentiation: window_scores, window_sum and window_outer are
// the derivatives of Σ weights[t, w]·(query_t · key_{start_t + w}) by each of its parts, and
// window_scatter and window_gather are each other's. A backward adds to the keys' gradient in
// place, and only to the rows that the windows see.
namespace glass {

/// scores[n, t, w] = query[n, t]·keys[n, start + w]. query [N, T, A], keys [N, S, A]: [N, T, W].
Var window_scores(In query, In keys, const Tensor& start, int64_t window);
/// sums[n, t] = Σ_w weights[n, t, w]·values[n, start + w]. weights [N, T, W], values [N, S, K]:
/// [N, T, K].
Var window_sum(In weights, In values, const Tensor& start);
/// outer[n, s] = Σ_t weights[n, t, s - start]·query[n, t]. weights [N, T, W], query [N, T, A]:
/// [N, keys, A].
Var window_outer(In weights, In query, const Tensor& start, int64_t keys);

/// windows[n, t, w] = keys[n, start + w]. keys [N, S, A]: [N, T, W, A].
Var window_gather(In keys, const Tensor& start, int64_t window);
/// Zeros [N, keys, A] with windows [N, T, W, A] added where window_gather would read.
Var window_scatter(In windows, const Tensor& start, int64_t keys);
/// dense[n, t, s] = weights[n, t, s - start], 0 outside the window. weights [N, T, W]:
/// [N, T, keys].
Var window_dense(In weights, const Tensor& start, int64_t keys);

}  // namespace glass
