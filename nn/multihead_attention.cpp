#include "nn/multihead_attention.h"

#include <cmath>

#include "nn/attention/intervention.h"
#include "nn/attention/recorder.h"
#include "nn/init.h"
#include "nn/replay_masks.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

// softmax(Q·Kᵀ·scale + bias) among what the mask allows.
static Var scaled_dot_weights(const Var& query, const Var& key, const Mask& mask, const Var& bias,
                              double scale) {
  Var scores = matmul_transposed(query * scale, key);
  if (bias.defined())
    scores = scores + (bias.ndim() == 3 && query.ndim() == 4 ? unsqueeze(bias, 1) : bias);
  return masked_softmax(scores, mask);
}

static double usual_scale(int64_t features) {
  return features > 0 ? 1 / std::sqrt(static_cast<double>(features)) : 1;
}

Attended scaled_dot_product_attention(const Var& query, const Var& key, const Var& value,
                                      const Mask& mask, const Var& bias,
                                      std::optional<double> scale) {
  const int n = query.ndim();
  if (n < 3 || n > 4 || key.ndim() != n || value.ndim() != n || key.size(-1) != query.size(-1) ||
      key.size(-2) != value.size(-2))
    fail("scaled_dot_product_attention", "shapes do not fit", "query ", query.shape(), ", key ",
         key.shape(), ", value ", value.shape());
  Var k = key, v = value;
  if (mask.keys().defined()) {  // hidden keys become 0: 0 · NaN would be NaN
    Tensor may = mask.keys().unsqueeze(-1);
    if (n == 4) may = may.unsqueeze(1);
    k = where(Var(may), key, 0.0);
    v = where(Var(may), value, 0.0);
  }
  const Var weights =
      scaled_dot_weights(query, k, mask, bias, scale.value_or(usual_scale(query.size(-1))));
  return {matmul(weights, v), weights};
}

MultiheadAttention::MultiheadAttention(int64_t embed, int64_t heads,
                                       const MultiheadAttentionOptions& chosen,
                                       Generator& generator)
    : embed_dim(embed),
      num_heads(heads),
      options(chosen),
      out_proj(embed, embed, chosen.bias, generator),
      generator_(&generator) {
  if (embed < 1 || heads < 1 || embed % heads != 0)
    fail("MultiheadAttention", "embed_dim must be a positive multiple of num_heads", embed, " and ",
         heads);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    fail("MultiheadAttention", "dropout must be in [0, 1]", options.dropout);
  const int64_t kdim = options.kdim.value_or(embed), vdim = options.vdim.value_or(embed);
  if (kdim < 1 || vdim < 1)
    fail("MultiheadAttention", "kdim and vdim must be positive", kdim, " and ", vdim);
  const auto glorot = [&](int64_t rows, int64_t columns) {
    Var weight = parameter(Tensor::zeros({rows, columns}));
    xavier_uniform_(weight, generator);
    return weight;
  };
  if (kdim == embed && vdim == embed) {
    in_proj_weight = glorot(3 * embed, embed);
  } else {
    q_proj_weight = glorot(embed, embed);
    k_proj_weight = glorot(embed, kdim);
    v_proj_weight = glorot(embed, vdim);
  }
  if (!options.bias) return;
  in_proj_bias = parameter(Tensor::zeros({3 * embed}));
  zeros_(out_proj.bias);
}

void MultiheadAttention::visit(Visitor& v) {
  v("in_proj_weight", in_proj_weight);
  v("q_proj_weight", q_proj_weight);
  v("k_proj_weight", k_proj_weight);
  v("v_proj_weight", v_proj_weight);
  v("in_proj_bias", in_proj_bias);
  v("out_proj", out_proj);
}

Var MultiheadAttention::heads(const Var& x, int part) const {
  const Var* separate[] = {&q_proj_weight, &k_proj_weight, &v_proj_weight};
  const Var weight = in_proj_weight.defined()
                         ? narrow(in_proj_weight, 0, part * embed_dim, embed_dim)
                         : *separate[part];
  if (x.size(-1) != weight.size(1))
    fail("MultiheadAttention", "an input has the wrong number of features", x.shape(), ", needs ",
         weight.size(1));
  const Var bias =
      in_proj_bias.defined() ? narrow(in_proj_bias, 0, part * embed_dim, embed_dim) : Var();
  const Var y = linear(x, weight, bias);  // [B, T, E]
  return transpose(reshape(y, {y.size(0), y.size(1), num_heads, embed_dim / num_heads}), 1, 2);
}

Attended MultiheadAttention::operator()(const Var& query, const Var& key, const Var& value,
                                        const Mask& mask, const Var& bias) const {
  if (query.ndim() == 2) {  // without a batch: a batch of one
    const int64_t axis = options.batch_first ? 0 : 1;
    const auto batch = [&](const Var& x) { return unsqueeze(x, axis); };
    const Attended y = (*this)(batch(query), batch(key), batch(value), mask, bias);
    return {squeeze(y.context, axis), squeeze(y.weights, 0)};
  }
  return attend(query, project(key, value, mask), bias);
}

Var MultiheadAttention::rows_first(const Var& x) const {
  if (x.ndim() != 3)
    fail("MultiheadAttention", "inputs must have three dimensions, or two without a batch",
         x.shape());
  return options.batch_first ? x : transpose(x, 0, 1);
}

ProjectedKeys MultiheadAttention::project(const Var& key, const Var& value,
                                          const Mask& mask) const {
  Var k = rows_first(key), v = rows_first(value);
  if (mask.keys().defined()) {  // before the projection: its weights' gradients read the input
    const Var may(mask.keys().unsqueeze(2));
    k = where(may, k, 0.0);
    v = where(may, v, 0.0);
  }
  return {heads(k, 1), heads(v, 2), mask};
}

Attended MultiheadAttention::attend(const Var& query, const ProjectedKeys& keys,
                                    const Var& bias) const {
  const Var q = heads(rows_first(query), 0);
  const double scale = usual_scale(embed_dim / num_heads);
  const Var seen =
      AttentionIntervention::changed(this, scaled_dot_weights(q, keys.key, keys.mask, bias, scale));
  const Var weights = dropout(seen, options.dropout, is_training(), *generator_);
  AttentionRecorder::see(this, weights);
  const Var joined = transpose(matmul(weights, keys.value), 1, 2);  // [B, T, H, E/H]
  const Var y = out_proj(reshape(joined, {joined.size(0), joined.size(1), embed_dim}));
  return {options.batch_first ? y : transpose(y, 0, 1), weights};
}

ProjectedKeys ProjectedKeys::followed_by(const ProjectedKeys& more) const {
  if (!mask.all() || !more.mask.all())
    fail("ProjectedKeys", "keys under a mask cannot be joined", key.shape(), " and ",
         more.key.shape());
  return {cat({key, more.key}, 2), cat({value, more.value}, 2)};
}

ProjectedKeys ProjectedKeys::rows(const Tensor& index) const {
  return {index_select(key, 0, Var(index)), index_select(value, 0, Var(index)), mask.rows(index)};
}

namespace {

Vars replay_multihead(Replay& r) {
  Generator g;
  MultiheadAttentionOptions options{.dropout = r.real("dropout", 0),
                                    .bias = r.flag("bias", true),
                                    .batch_first = r.flag("batch_first", false)};
  if (r.has("kdim")) options.kdim = r.integer("kdim");
  if (r.has("vdim")) options.vdim = r.integer("vdim");
  const int64_t heads = r.integer("num_heads");
  return replay_module(
      r, MultiheadAttention(r.integer("embed_dim"), heads, options, g),
      [&](MultiheadAttention& layer) {
        const Var query = r["query"];
        const Var key = r.inputs.count("key") ? r["key"] : query;
        const Var value = r.inputs.count("value") ? r["value"] : key;
        const auto [mask, bias] = read_masks(r, heads, "attn_mask", "key_padding_mask");
        const Attended y = layer(query, key, value, mask, bias);
        Vars outputs{y.context};
        const bool averaged = r.flag("average_attn_weights", true);
        if (r.flag("need_weights", true))
          outputs.push_back(averaged ? MultiheadAttention::averaged(y.weights) : y.weights);
        return outputs;
      });
}

// Two heads on 4 features; query, then key and value where they are not the query.
Sample attention_sample(std::string label, const Shape& query, const std::vector<Shape>& others,
                        const MultiheadAttentionOptions& options, const Mask& mask) {
  Generator generator;
  MultiheadAttention shaped(4, 2, options, generator);
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{query, -1, 1}};
  for (const Shape& shape : others) sample.inputs.push_back({shape, -1, 1});
  const size_t first = sample.inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    MultiheadAttention layer(4, 2, options, unused);
    bind_parameters(layer, in, first);
    const Var& key = first > 1 ? in[1] : in[0];
    const Attended y = layer(in[0], key, first > 2 ? in[2] : key, mask);
    return Vars{y.context, y.weights};
  };
  return sample;
}

}  // namespace

std::vector<Entry> multihead_attention_entries() {
  const auto build = [](int64_t embed, int64_t heads, const MultiheadAttentionOptions& options) {
    Generator g;
    MultiheadAttention layer(embed, heads, options, g);
  };
  const auto call = [](const Shape& query, const Shape& key, const Mask& mask) {
    Generator g;
    MultiheadAttention layer(4, 2, {.batch_first = true}, g);
    const Var k(Tensor::zeros(key));
    layer(Var(Tensor::zeros(query)), k, k, mask);
  };
  return {{.name = "MultiheadAttention",
           .kind = EntryKind::layer,
           .formula = "head = softmax(Q·Kᵀ/√d)·V per head, output = concat(heads)·W_outᵀ + b_out",
           .gradient = "as matmul, softmax and Linear",
           .notes =
               "Rows of in_proj_weight for query, key, value. A query that may attend to nothing "
               "gets weights 0 and the output b_out.",
           .samples = {attention_sample("self", {3, 2, 4}, {}, {}, {}),
                       attention_sample("cross, key mask", {2, 2, 4}, {{2, 3, 4}},
                                        {.batch_first = true}, Mask::from_lengths({2, 3}, 3)),
                       attention_sample("causal", {2, 3, 4}, {}, {.batch_first = true},
                                        Mask::causal(3, 3)),
                       attention_sample("kdim and vdim, no bias", {2, 1, 4}, {{3, 1, 3}, {3, 1, 2}},
                                        {.bias = false, .kdim = 3, .vdim = 2}, {}),
                       attention_sample("no batch", {3, 4}, {}, {}, {})},
           .errors = {{"heads", [=] { build(4, 3, {}); }, "multiple of num_heads: 4 and 3"},
                      {"dropout", [=] { build(4, 2, {.dropout = 2}); }, "in [0, 1]"},
                      {"features",
                       [=] {
                         call({2, 3, 5}, {2, 3, 4}, {});
                       },
                       "[2, 3, 5], needs 4"},
                      {"dimensions",
                       [=] {
                         call({2, 3, 4}, {3, 4}, {});
                       },
                       "three dimensions"},
                      {"mask",
                       [=] {
                         call({2, 3, 4}, {2, 3, 4}, Mask::causal(3, 4));
                       },
                       "does not fit the scores: [3, 4]"}},
           .replay = replay_multihead}};
}

}  // namespace glass
