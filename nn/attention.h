#pragma once

#include "autograd/ops/attention.h"
#include "nn/linear.h"
#include "nn/mask.h"

namespace glass {

/// What a query meets: the values, and what scores need of the keys, computed once for all queries.
struct Keys {
  Var values;     ///< [B, S, K], 0 where nothing may attend
  Var projected;  ///< [B, S, A]
  Mask mask;
};

/// What comes back: the weighted sum of the values, and the weights.
struct Attended {
  Var context;  ///< [B, K], or [B, T, K] for T queries
  Var weights;  ///< [B, S], or [B, T, S]
};

/// softmax over the last dim [B, ..., S] among the keys that the mask allows; a row without any is
/// 0.
Var masked_softmax(In scores, const Mask& mask);

/// Bahdanau, Cho and Bengio 2014, appendix A.1.2:
///   e_j = vᵀ·tanh(W_q·q + W_k·h_j);  weights = softmax(e);  context = Σ_j weights_j · h_j
/// Keys that the mask hides may hold anything, also NaN; a row with all keys hidden gets weights,
/// context and gradients 0.
class AdditiveAttention : public Module {
 public:
  AdditiveAttention(int64_t query_dim, int64_t key_dim, int64_t attn_dim, Generator& generator);
  void visit(Visitor& v) override;

  /// Projects keys [B, S, K] once for all queries; the values are the keys unless given.
  Keys prepare(const Var& keys, const Mask& mask = {}, const Var& values = {}) const;
  /// query [B, Q], or [B, T, Q] for T queries at once.
  Attended operator()(const Var& query, const Keys& keys) const;
  /// The same in simple ops; query [B, T, Q].
  Attended equations(const Var& query, const Keys& keys) const {
    const Var q = unsqueeze(query_proj(query), 2), k = unsqueeze(keys.projected, 1);
    const Var weights = masked_softmax(matmul(tanh(q + k), v), keys.mask);
    return {matmul(weights, keys.values), weights};
  }

  Linear query_proj;  ///< W_q [A, Q], no bias
  Linear key_proj;    ///< W_k [A, K], no bias
  Var v;              ///< [A]
};

}  // namespace glass
