#pragma once

#include "tensor/tensor.h"

// Additive attention (Bahdanau et al. 2014). B batch, T queries, S keys, A attention units, K size
// of a value; dense tensors of one floating type. allowed [B, S] (bool, optional: all): keys and
// values that are not allowed are never read; a row without any has weights and context 0.
namespace glass {

struct AttentionForward {
  Tensor query;   // [B, T, A]
  Tensor keys;    // [B, S, A]
  Tensor v;       // [A]
  Tensor values;  // [B, S, K]
  Tensor allowed;
  Tensor context, weights;  // [B, T, K], [B, T, S] out
};

struct AttentionBackward {
  Tensor query, keys, v, values, allowed, weights;
  Tensor d_context, d_weights;  // optional
  Tensor d_query;               // [B, T, A] out
  Tensor d_keys;                // [B, S, A], optional: added to
  Tensor d_v;                   // [B, A] out: one part per batch row
};

/// softmax(query·keyᵀ among allowed)·value, by blocks of at most chunk query rows a thread. N
/// batch, T queries, S keys, all positive; dense but for allowed. Where nothing is allowed, out is
/// 0.
struct ChunkedForward {
  Tensor query, key, value;  // [N, T, D], [N, S, D], [N, S, K]
  Tensor allowed;            // [N, T, S], optional: all; any strides, the last 1 or 0
  int64_t chunk;
  Tensor out;          // [N, T, K] out
  Tensor top, factor;  // [N, T] out: weights = exp(score - top)·factor
};

struct ChunkedBackward {
  Tensor query, key, value, allowed;
  int64_t chunk;
  Tensor top, factor;
  Tensor d_out, dots;              // [N, T, K]; [N, T] = Σ d_out·out
  Tensor d_query, d_key, d_value;  // out; d_key and d_value: added to
};

}  // namespace glass
