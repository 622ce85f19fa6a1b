#include "nn/attention.h"

#include <cmath>

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

Var masked_softmax(In scores, const Mask& mask) {
  return masked_softmax(scores, mask.for_scores(scores->shape()));
}

AdditiveAttention::AdditiveAttention(int64_t query_dim, int64_t key_dim, int64_t attn_dim,
                                     Generator& generator)
    : query_proj(query_dim, attn_dim, false, generator),
      key_proj(key_dim, attn_dim, false, generator) {
  if (attn_dim < 1) fail("AdditiveAttention", "attn_dim must be positive", attn_dim);
  const double bound = 1 / std::sqrt(static_cast<double>(attn_dim));
  v = parameter(uniform({attn_dim}, -bound, bound, kFloat32, generator));
}

void AdditiveAttention::visit(Visitor& visitor) {
  visitor("query_proj", query_proj);
  visitor("key_proj", key_proj);
  visitor("v", v);
}

Keys AdditiveAttention::prepare(const Var& keys, const Mask& mask, const Var& values) const {
  if (keys.ndim() != 3 || keys.size(2) != key_proj.weight.size(1))
    fail("AdditiveAttention", "keys must be [B, S, key_dim]", keys.shape(), " for key_dim ",
         key_proj.weight.size(1));
  if (mask.pairs().defined())
    fail("AdditiveAttention", "takes a mask of keys, not of pairs", mask.pairs().shape());
  if (mask.all()) return {values.defined() ? values : keys, key_proj(keys), mask};
  if (!(mask.keys().shape() == Shape{keys.size(0), keys.size(1)}))
    fail("AdditiveAttention", "the mask does not fit the keys", mask.keys().shape(), " for ",
         keys.shape());
  // Hidden keys become 0: 0 · NaN would reach the weights' gradients.
  const Var may(mask.keys().unsqueeze(2));
  const Var clean = where(may, keys, 0.0);
  return {values.defined() ? where(may, values, 0.0) : clean, key_proj(clean), mask};
}

Attended AdditiveAttention::operator()(const Var& query, const Keys& keys) const {
  if (query.ndim() < 2 || query.size(-1) != query_proj.weight.size(1))
    fail("AdditiveAttention", "the query has the wrong size", query.shape(), " for query_dim ",
         query_proj.weight.size(1));
  const auto [context, weights] =
      additive_attention(query_proj(query), keys.projected, v, keys.values, keys.mask.keys());
  return {context, weights};
}

namespace {

// Queries of size 2, keys of size 3, 2 attention units.
Sample additive_sample(std::string label, const Shape& query, int64_t S,
                       const std::vector<int64_t>& lengths, bool with_values) {
  Generator generator;
  AdditiveAttention shaped(2, 3, 2, generator);
  const int64_t B = query[0];
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{query}, {{B, S, 3}}};
  if (with_values) sample.inputs.push_back({{B, S, 2}});
  const size_t first = sample.inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  auto call = [=](const Vars& in, bool fused) {
    Generator unused;
    AdditiveAttention attention(2, 3, 2, unused);
    bind_parameters(attention, in, first);
    const Mask mask = lengths.empty() ? Mask() : Mask::from_lengths(lengths, S);
    const Keys keys = attention.prepare(in[1], mask, with_values ? in[2] : Var());
    const Attended y = fused ? attention(in[0], keys) : attention.equations(in[0], keys);
    return Vars{y.context, y.weights};
  };
  sample.f = [=](const Vars& in) { return call(in, true); };
  if (query.size() == 3) sample.definition = [=](const Vars& in) { return call(in, false); };
  return sample;
}

}  // namespace

std::vector<Entry> attention_entries() {
  const auto prepare = [](const Shape& keys, const Mask& mask) {
    Generator g;
    return AdditiveAttention(2, 3, 2, g).prepare(Var(Tensor::zeros(keys)), mask);
  };
  return {{.name = "AdditiveAttention",
           .kind = EntryKind::layer,
           .formula = "e = vᵀ·tanh(W_q·q + W_k·h); weights = softmax(e); context = Σ weights·h",
           .gradient = "as additive_attention",
           .notes = "Keys that the mask hides may hold anything; a query with all keys hidden gets "
                    "weights, context and gradients 0.",
           .samples = {additive_sample("one query", {2, 2}, 3, {}, false),
                       additive_sample("queries, mask", {2, 2, 2}, 3, {2, 3}, false),
                       additive_sample("a row without any key", {2, 1, 2}, 3, {0, 3}, false),
                       additive_sample("values", {1, 2, 2}, 3, {2}, true)},
           .errors = {
               {"size of the keys",
                [=] {
                  prepare({2, 4, 2}, {});
                },
                "[2, 4, 2] for key_dim 3"},
               {"mask",
                [=] {
                  prepare({2, 4, 3}, Mask::from_lengths({1, 2}, 5));
                },
                "[2, 5] for [2, 4, 3]"},
               {"size of the query",
                [=] {
                  Generator g;
                  AdditiveAttention(2, 3, 2, g)(Var(Tensor::zeros({2, 3})), prepare({2, 4, 3}, {}));
                },
                "[2, 3] for query_dim 2"}}}};
}

}  // namespace glass
