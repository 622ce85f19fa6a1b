#pragma once

#include <array>
#include <optional>

#include "nn/attention/normalizer.h"
#include "nn/attention/scope.h"
#include "nn/attention/scorer.h"
#include "nn/linear.h"

namespace glass {

/// What queries meet: values, and what scores need of the keys, computed once for all queries. Rows
/// are N = batch · heads, the head running fastest.
struct Keys {
  Var values;     ///< [N, S, K], 0 where the mask hides the key
  Var projected;  ///< [N, S, A]
  Var chunk;      ///< [N, S, A]: of MoChA's second scorer
  Mask mask;
  std::vector<int64_t> counts;  ///< N: keys that are not hidden
  Tensor expected;              ///< [N] bool: rows that use the expectation (reinforce, training)
  int64_t heads = 1;

  int64_t size() const { return values.size(1); }
  /// The keys of these rows of the batch (int64), in their order: for a beam.
  Keys rows(const Tensor& index) const;
  /// These keys and, behind them, more of the same attention. Throws Error where a mask hides
  /// pairs.
  Keys followed_by(const Keys& more) const;
};

/// Weights as they were computed: of all keys, or of windows.
struct AttentionWeights {
  Var values;    ///< [N, T, S], or [N, T, W] with a start
  Tensor start;  ///< [N, T] int64, the window's first key; undefined: all keys
  int64_t heads = 1, keys = 0;

  bool defined() const { return values.defined(); }
  Var dense() const;  ///< [B, H, T, S]
  Var mass() const;   ///< [B, H, T]: rows of local-p and monotonic attention sum to less than 1
};

/// What one query leaves to the next.
struct AttentionState {
  int64_t step = 0;   ///< the number of the next query
  Var previous = {};  ///< [B, H, S]: the last query's weights (monotonic: its alignment)
  Var coverage = {};  ///< [B, H, S]: the weights of all queries so far

  AttentionState rows(const Tensor& index) const;  ///< of these rows of the batch
};

struct AttentionOutput {
  Var output;                ///< [B, T, ...]: context, or what comes after it
  Var context;               ///< [B, T, K]: Σ weights·values, heads joined
  AttentionWeights weights;  ///< undefined where chunks were used
  Var position;              ///< [B, H, T]: p_t of local-p
  Var log_probability;       ///< [B, H, T] of hard attention
  Var entropy;               ///< [B, H, T] of hard attention
  Var gate;                  ///< [B, T, 1 or K]: β of ContextGate
  AttentionState next;
};

/// How a call is computed.
struct AttentionCall {
  Var bias = {};             ///< added to the scores: broadcasts to [B, H, T, S]
  bool need_weights = true;  ///< without them, chunks may be used
  /// Queries a chunk, of attention that never holds all weights (product scores, softmax, all
  /// keys); 0: never; unless given, chosen by size.
  std::optional<int64_t> chunk = {};
};

/// Attention: score → scope and mask → normaliser → weighted sum → what comes after, in heads. See
/// slots.h for the choices and docs/attention.md for their papers.
class Attention : public Module {
 public:
  /// generator must outlive the layer where it draws: dropout, hard attention, monotonic noise.
  /// Throws Error for choices that make no sense together.
  Attention(const AttentionOptions& options, Generator& generator);
  void visit(Visitor& v) override;

  /// keys [B, S, key_dim]; the values are the keys unless given, [B, S, value_dim]. Keys that mask
  /// hides from all queries may hold anything.
  Keys prepare(const Var& keys, const Mask& mask = {}, const Var& values = {}) const;
  /// query [B, T, query_dim], or [B, query_dim] for one (the outputs then lack T). A query whose
  /// keys are all hidden gets weights, context and gradients 0.
  AttentionOutput operator()(const Var& query, const Keys& keys, const AttentionState& state = {},
                             const AttentionCall& call = {}) const;

  int64_t context_dim() const { return context_dim_; }
  int64_t output_dim() const;

  AttentionOptions options;
  Scorer scorer;
  ScopePart scope;
  std::optional<Scorer> chunk_scorer;  ///< of MoChA
  Var offset;                          ///< r of monotonic attention, 0-d
  std::optional<Linear> q_proj, k_proj, v_proj, out_proj;
  std::optional<Linear> after;  ///< W_c or W_β

 private:
  struct Weighed {
    AttentionWeights weights;
    Var alignment, position, log_probability, entropy;
  };
  Var split_heads(const Var& x) const;
  Var join_heads(const Var& x) const;
  void check_dtype(const char* name, const Var& x, DType expected) const;
  DType dtype_or(DType otherwise) const;
  void check_call(const Var& query, const Keys& keys, const AttentionState& state,
                  const AttentionCall& call) const;
  Tensor seen(const Keys& keys, int64_t queries) const;
  bool goes_step_by_step() const;
  bool is_fused(const Keys& keys, const AttentionState& state, const AttentionCall& call) const;
  int64_t chunk_of(int64_t queries, const Keys& keys, const AttentionCall& call) const;
  Weighed weigh(const Var& query, const Keys& keys, const AttentionState& state,
                const AttentionCall& call) const;
  AttentionOutput step_by_step(const Var& query, const Keys& keys, AttentionState state,
                               const AttentionCall& call) const;
  AttentionState next_state(const AttentionState& state, const Weighed& w, int64_t queries) const;

  int64_t context_dim_;
  Generator* generator_;
};

}  // namespace glass
