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

/// Rows of scores that become softmax rows in place; where nothing is allowed they become 0.
struct SoftmaxBlock {
  Tensor rows;     // [b, t, S], dense: scores in, weights out
  Tensor allowed;  // [b, t, S] bool, undefined: all; any strides, but the last is 1 or 0
  Tensor top;      // [b·t] largest score, 0 where there is none: out; in for the backward
  Tensor factor;   // [b·t] 1 / Σ exp(score - top), 0 where nothing is allowed: as top
};

}  // namespace glass
