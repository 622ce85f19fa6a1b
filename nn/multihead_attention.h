#pragma once

#include <optional>

#include "nn/linear.h"
#include "nn/mask.h"

namespace glass {

struct Attended {
  Var context;  ///< weighted sum of the values
  Var weights;  ///< of queries and keys [..., T, S]
};

/// Scaled dot-product attention (Vaswani et al. 2017, equation 1):
///   weights = softmax(Q·Kᵀ·scale + bias),  context = weights·V
/// query [B, T, D] or [B, H, T, D], key [..., S, D], value [..., S, K]; bias broadcasts to the
/// scores; scale: 1/√D unless given. Keys that the mask hides from all queries may hold anything; a
/// query without any key gets weights, context and gradients 0.
Attended scaled_dot_product_attention(const Var& query, const Var& key, const Var& value,
                                      const Mask& mask = {}, const Var& bias = {},
                                      std::optional<double> scale = {});

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the weights, in training
  bool bias = true;
  std::optional<int64_t> kdim = {},
                         vdim = {};  ///< features of key and value; embed_dim unless given
  bool batch_first = false;          ///< [B, T, E] instead of [T, B, E]
};

/// Keys and values as the heads see them: projected once, for any number of queries.
struct ProjectedKeys {
  Var key, value;  ///< [B, H, S, E/H]
  Mask mask = {};  ///< which may be attended to

  /// These keys and, behind them, more: the cache of a decoder. Throws Error where a mask hides
  /// some.
  ProjectedKeys followed_by(const ProjectedKeys& more) const;
  /// The keys of these rows of the batch (int64), in their order: for a beam.
  ProjectedKeys rows(const Tensor& index) const;
};

/// Attention in num_heads subspaces (Vaswani et al. 2017, section 3.2.2):
///   head_i = attention(Q·W_iᵠ, K·W_iᵏ, V·W_iᵛ),  output = concat(head_1 … head_h)·Wᵒ
/// With torch.nn.MultiheadAttention's names and layouts.
class MultiheadAttention : public Module {
 public:
  /// embed_dim must be a multiple of num_heads. generator must outlive the layer when there is
  /// dropout.
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, const MultiheadAttentionOptions& options,
                     Generator& generator);
  void visit(Visitor& v) override;

  /// query [T, B, E], key [S, B, kdim], value [S, B, vdim], or the other way round with
  /// batch_first, or all without B. bias [T, S], [B, T, S] or [B, H, T, S] is added to the scores.
  /// context is of query's shape; weights [B, H, T, S] (averaged(): [B, T, S]), after dropout.
  Attended operator()(const Var& query, const Var& key, const Var& value, const Mask& mask = {},
                      const Var& bias = {}) const;
  /// The same in two parts: keys once, then queries, of shape [T, B, E] or [B, T, E].
  ProjectedKeys project(const Var& key, const Var& value, const Mask& mask = {}) const;
  Attended attend(const Var& query, const ProjectedKeys& keys, const Var& bias = {}) const;
  /// Weights averaged over the heads.
  static Var averaged(const Var& weights) { return mean(weights, {-3}); }

  int64_t embed_dim, num_heads;
  MultiheadAttentionOptions options;
  Var in_proj_weight;  ///< [3·E, E], rows for query, key, value; undefined with kdim or vdim
  Var q_proj_weight, k_proj_weight, v_proj_weight;  ///< [E, E], [E, kdim], [E, vdim] with them
  Var in_proj_bias;                                 ///< [3·E]
  Linear out_proj;

 private:
  /// x, projected by part 0 (query), 1 (key) or 2 (value), in heads: [B, H, T, E/H].
  Var heads(const Var& x, int part) const;
  Var rows_first(const Var& x) const;
  Generator* generator_;
};

}  // namespace glass
