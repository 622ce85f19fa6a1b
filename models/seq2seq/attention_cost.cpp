#include "models/seq2seq/attention_cost.h"

#include <algorithm>

namespace glass {
namespace {

int64_t visible_pairs(const AttentionScope& scope, int64_t S, int64_t T) {
  int64_t pairs = 0;
  if (const auto* m = std::get_if<LocalMScope>(&scope)) {
    for (int64_t t = 0; t < T; ++t)
      pairs += std::max<int64_t>(0, std::min(t + m->D, S - 1) - std::max<int64_t>(t - m->D, 0) + 1);
    return pairs;
  }
  if (const auto* p = std::get_if<LocalPScope>(&scope)) return T * std::min(2 * p->D + 1, S);
  if (std::holds_alternative<CausalScope>(scope)) {
    for (int64_t t = 1; t <= T; ++t) pairs += std::min(t, S);
    return pairs;
  }
  return T * S;
}

}  // namespace

double attention_multiply_adds(const AttentionOptions& o, int64_t S, int64_t T) {
  const int64_t H = o.heads.num_heads, E = o.heads.embed_dim;
  const bool in = o.heads.in_proj;
  const int64_t q = in ? E : o.query_dim, k = in ? E : o.key_dim, v = in ? E : o.value_dim;
  int64_t per_key = in ? (o.key_dim + o.value_dim) * E : 0;
  int64_t per_query = (in ? o.query_dim * E : 0) + (o.heads.out_proj ? v * E : 0);
  int64_t scores = q, projections = 0;  // of a pair; of keys and queries
  if (std::holds_alternative<GeneralScore>(o.score)) projections = S * (q * k / H);
  const auto inner = [&](int64_t A, bool key_weight, bool query_weight) {
    projections = (key_weight ? S * A * k : 0) + (query_weight ? T * A * q : 0);
    scores = H * A * (o.coverage ? 2 : 1);
  };
  if (const auto* s = std::get_if<AdditiveScore>(&o.score))
    inner(s->attn_dim, o.dialect != Dialect::popular, o.dialect != Dialect::popular);
  if (const auto* s = std::get_if<ConcatScore>(&o.score))
    inner(s->attn_dim, o.dialect != Dialect::authors, true);
  if (std::holds_alternative<MochaNormalizer>(o.normalizer)) {
    projections *= 2;
    scores *= 2;
  }
  if (const auto* p = std::get_if<LocalPScope>(&o.scope)) {
    const int64_t A = p->attn_dim > 0 ? p->attn_dim : q / H;
    per_query += A * q + H * A;
  }
  return static_cast<double>(S * per_key + T * per_query + projections +
                             visible_pairs(o.scope, S, T) * (scores + v));
}

double transformer_multiply_adds(int64_t d, int64_t encoder_layers, int64_t decoder_layers,
                                 int64_t S, int64_t T) {
  const int64_t encoder = 4 * S * d * d + 2 * S * S * d;
  const int64_t decoder = 4 * T * d * d + 2 * T * T * d + (2 * T + 2 * S) * d * d + 2 * T * S * d;
  return static_cast<double>(encoder_layers * encoder + decoder_layers * decoder);
}

}  // namespace glass
