#pragma once

#include "nn/attention/slots.h"
#include "nn/mask.h"
#include "nn/module.h"

namespace glass {

/// The keys that queries see in a local scope: window of them from start on.
struct KeyWindow {
  Tensor start;      ///< [N, T] int64; may lie outside the keys
  int64_t size = 0;  ///< W
  Tensor allowed;    ///< [N, T, W] bool
  Var position;      ///< p_t [N, T] (local-p)
  Var factor;        ///< what weights are multiplied with [N, T, W] (local-p), or undefined
};

/// Which keys a query sees, and what its scores are lowered by.
class ScopePart : public Module {
 public:
  ScopePart(const AttentionScope& scope, int64_t query_dim, int64_t num_heads, Dialect dialect,
            Generator& generator);
  void visit(Visitor& v) override;

  bool is_local() const;
  bool is_plain() const { return std::holds_alternative<GlobalScope>(scope_); }
  /// Whether a query needs the weights of the one before.
  bool needs_previous() const;

  /// The window of queries [N, T, query], the first of which is number step. seen [N, 1 or T, S]
  /// bool: keys that the mask allows, or undefined; counts: how many keys of each row of N are not
  /// padding.
  KeyWindow window(const Var& query, int64_t step, int64_t keys, const Tensor& seen,
                   const std::vector<int64_t>& counts) const;
  /// What is added to scores [N, T, S] in the type dtype, or undefined. previous [N, S].
  Var prior(int64_t rows, int64_t queries, int64_t keys, int64_t step, const Var& previous,
            DType dtype) const;
  /// seen, and for a causal scope only keys up to the query's own place.
  Tensor allowed(const Tensor& seen, int64_t queries, int64_t keys, int64_t step) const;

  Var predictor;  ///< W_p [heads·attn_dim, query] (local-p)
  Var unit;       ///< v_p [heads·attn_dim]

 private:
  Var predict(const Var& query, const std::vector<int64_t>& counts) const;  // p_t [N, T]

  AttentionScope scope_;
  int64_t num_heads_;
  Dialect dialect_;
};

}  // namespace glass
