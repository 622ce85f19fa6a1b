#pragma once

#include "nn/attention/slots.h"
#include "nn/module.h"

namespace glass {

/// The score of an attention. Keys and queries are projected apart, so that keys are projected once
/// for all queries; then e = q·k, or e = vᵀ·tanh(q + k). Heads are rows: N = batch · heads, the
/// head running fastest; each head has parameters of its own.
class Scorer : public Module {
 public:
  /// Sizes of one head's query and key. coverage: see AttentionOptions.
  /// Throws Error for sizes that do not fit the score.
  Scorer(const AttentionScore& score, int64_t query_dim, int64_t key_dim, int64_t num_heads,
         bool coverage, Dialect dialect, Generator& generator);
  void visit(Visitor& v) override;

  Var project_keys(const Var& keys) const;    ///< [N, S, key] -> [N, S, A]
  Var project_query(const Var& query) const;  ///< [N, T, query] -> [N, T, A]
  /// Scores [N, T, S] of what was projected; coverage [N, S] or undefined.
  Var operator()(const Var& query, const Var& keys, const Var& coverage = {}) const;
  /// Scores [N, T, window]: query t of row n sees keys start[n, t] … start[n, t] + window - 1.
  Var windowed(const Var& query, const Var& keys, const Tensor& start, int64_t window) const;

  bool is_product() const { return !v.defined(); }  ///< e = q·k
  bool is_tanh() const { return !is_product() && squash_ == Squash::tanh; }
  Var unit() const;  ///< what tanh(q + k) is multiplied with: [heads·A]

  Var query_weight;     ///< W_s [heads·A, query], or W of concat [heads·A, query + key]
  Var key_weight;       ///< W_h [heads·A, key], or W of general [heads·query, key]
  Var bias;             ///< b [heads·A]
  Var v, g;             ///< v [heads·A], g [heads]
  Var coverage_weight;  ///< w_c [heads·A]
  Var beta;             ///< of cosine, 0-d, when learnable
  Var places;           ///< of location: [heads·max_keys, query]

 private:
  /// x [N, L, in], weight [heads·out, in] -> [N, L, out], each head with its own rows.
  Var per_head(const Var& x, const Var& weight) const;
  /// e = x·v over the last axis of x [N, ..., A].
  Var against_unit(const Var& x) const;
  Var squash(const Var& x) const;

  AttentionScore score_;
  int64_t query_dim_, key_dim_, num_heads_;
  Squash squash_ = Squash::tanh;
};

}  // namespace glass
