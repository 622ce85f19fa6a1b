#include "models/seq2seq/attention_choice.h"

#include <utility>
#include <vector>

#include "models/json.h"

namespace glass {
namespace {

template <class T>
T by_name(const char* slot, const std::string& name,
          const std::vector<std::pair<std::string, T>>& all) {
  std::string known;
  for (const auto& [each, value] : all) {
    if (each == name) return value;
    known += (known.empty() ? "" : ", ") + each;
  }
  fail("attention", text("no ", slot, " of this name"), name, "; there are ", known);
}

AttentionScore score_of(const AttentionChoice& c) {
  return by_name<AttentionScore>("score", c.score,
                                 {{"dot", DotScore{}},
                                  {"scaled-dot", ScaledDotScore{}},
                                  {"general", GeneralScore{}},
                                  {"concat", ConcatScore{c.size}},
                                  {"additive", AdditiveScore{.attn_dim = c.size}},
                                  {"cosine", CosineScore{.temperature = 0.1, .learnable = true}},
                                  {"location", LocationScore{c.size}}});
}

AttentionScope scope_of(const AttentionChoice& c) {
  const auto prior = [&](PriorKind kind) { return PriorScope{kind, c.strength}; };
  return by_name<AttentionScope>("scope", c.scope,
                                 {{"global", GlobalScope{}},
                                  {"local-m", LocalMScope{c.window}},
                                  {"local-p", LocalPScope{.D = c.window}},
                                  {"laplace", prior(PriorKind::laplace)},
                                  {"gaussian", prior(PriorKind::gaussian)},
                                  {"linear", prior(PriorKind::linear)}});
}

AttentionNormalizer normalizer_of(const AttentionChoice& c) {
  return by_name<AttentionNormalizer>(
      "normalizer", c.normalizer,
      {{"softmax", SoftmaxNormalizer{}},
       {"hard", HardNormalizer{}},
       {"hard-straight-through", HardNormalizer{Estimator::straight_through}},
       {"hard-gumbel", HardNormalizer{Estimator::gumbel}},
       {"monotonic", MonotonicNormalizer{}},
       {"mocha", MochaNormalizer{c.window, {}}}});
}

AfterAttention after_of(const AttentionChoice& c) {
  return by_name<AfterAttention>("gate", c.gate,
                                 {{"none", NothingAfter{}},
                                  {"scalar", ContextGate{.vector = false}},
                                  {"vector", ContextGate{.vector = true}}});
}

Dialect dialect_of(const AttentionChoice& c) {
  return by_name<Dialect>(
      "dialect", c.dialect,
      {{"paper", Dialect::paper}, {"authors", Dialect::authors}, {"popular", Dialect::popular}});
}

}  // namespace

Json to_json(const AttentionChoice& c) {
  return {{"score", c.score},     {"scope", c.scope},       {"normalizer", c.normalizer},
          {"dialect", c.dialect}, {"size", c.size},         {"heads", c.heads},
          {"window", c.window},   {"strength", c.strength}, {"coverage", c.coverage},
          {"gate", c.gate}};
}

AttentionChoice attention_choice(const Json& json) {
  const char* where = "model, attention";
  refuse_unknown(json, to_json(AttentionChoice{}), where);
  AttentionChoice c;
  c.score = entry<std::string>(json, "score", where);
  c.scope = entry<std::string>(json, "scope", where);
  c.normalizer = entry<std::string>(json, "normalizer", where);
  c.dialect = entry<std::string>(json, "dialect", where);
  c.size = entry(json, "size", where, kSizeRange);
  c.heads = entry(json, "heads", where, kSizeRange);
  c.window = entry(json, "window", where, kSizeRange);
  c.strength = entry(json, "strength", where, kAmountRange);
  c.coverage = entry<bool>(json, "coverage", where);
  if (json.contains("gate")) c.gate = entry<std::string>(json, "gate", where);
  attention_options(c, 1, 1);  // throws for an unknown name
  return c;
}

bool is_reinforce(const AttentionChoice& c) { return c.normalizer == "hard"; }

bool needs_order(const AttentionChoice& c) {
  return c.scope != "global" || c.normalizer == "monotonic" || c.normalizer == "mocha";
}

bool needs_equal_sizes(const AttentionChoice& c) {
  if (c.heads > 1) return false;  // the projections make them equal
  return c.score == "dot" || c.score == "scaled-dot" || c.score == "cosine" ||
         (c.score == "additive" && c.dialect == "popular");
}

AttentionOptions attention_options(const AttentionChoice& chosen, int64_t query_dim,
                                   int64_t key_dim) {
  AttentionChoice c = chosen;
  // Without a projection the inner size is that of what is not projected.
  if (c.score == "additive" && c.dialect == "popular") c.size = query_dim;
  if (c.score == "concat" && c.dialect == "authors") c.size = key_dim;
  AttentionOptions o{.query_dim = query_dim, .key_dim = key_dim};
  o.score = score_of(c);
  o.scope = scope_of(c);
  o.normalizer = normalizer_of(c);
  o.after = after_of(c);
  o.dialect = dialect_of(c);
  o.coverage = c.coverage;
  o.heads = {.num_heads = c.heads, .in_proj = c.heads > 1, .out_proj = c.heads > 1};
  return o;
}

}  // namespace glass
