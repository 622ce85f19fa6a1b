#include "nn/transformer.h"

#include "nn/init.h"

namespace glass {
namespace {

MultiheadAttention attention_of(int64_t d_model, int64_t nhead, const TransformerOptions& o,
                                Generator& g) {
  return MultiheadAttention(d_model, nhead, {.dropout = o.dropout, .batch_first = o.batch_first},
                            g);
}

LayerNorm norm_of(int64_t d_model, const TransformerOptions& o) {
  return LayerNorm(Shape{d_model}, {.eps = o.layer_norm_eps});
}

Var activated(const Var& x, const TransformerOptions& o) {
  return o.activation == TransformerOptions::Activation::relu ? relu(x) : gelu(x);
}

// x + part(x), with the norm before or after.
template <class Part>
Var residual(const Var& x, const LayerNorm& norm, bool norm_first, Part part) {
  return norm_first ? x + part(norm(x)) : norm(x + part(x));
}

template <class Layer>
std::vector<Layer> stack_of(int64_t num_layers, int64_t d_model, int64_t nhead,
                            const TransformerOptions& options, Generator& generator) {
  if (num_layers < 0) fail("Transformer", "the number of layers must not be negative", num_layers);
  std::vector<Layer> layers;
  for (int64_t i = 0; i < num_layers; ++i) layers.emplace_back(d_model, nhead, options, generator);
  return layers;
}

template <class Layer>
void visit_stack(Visitor& v, std::vector<Layer>& layers, std::optional<LayerNorm>& norm) {
  for (size_t i = 0; i < layers.size(); ++i) v(text("layers.", i), layers[i]);
  if (norm) v("norm", *norm);
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead,
                                                 const TransformerOptions& chosen, Generator& g)
    : options(chosen),
      self_attn(attention_of(d_model, nhead, chosen, g)),
      linear1(d_model, chosen.dim_feedforward, true, g),
      linear2(chosen.dim_feedforward, d_model, true, g),
      norm1(norm_of(d_model, chosen)),
      norm2(norm_of(d_model, chosen)),
      dropout_(chosen.dropout, g) {}

void TransformerEncoderLayer::visit(Visitor& v) {
  v("self_attn", self_attn);
  v("linear1", linear1);
  v("linear2", linear2);
  v("norm1", norm1);
  v("norm2", norm2);
  v("dropout", dropout_);
}

Var TransformerEncoderLayer::operator()(const Var& src, const AttendTo& self) const {
  const Var x = residual(src, norm1, options.norm_first, [&](const Var& y) {
    return dropout_(self_attn(y, y, y, self.mask, self.bias).context);
  });
  return residual(x, norm2, options.norm_first, [&](const Var& y) {
    return dropout_(linear2(dropout_(activated(linear1(y), options))));
  });
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead,
                                                 const TransformerOptions& chosen, Generator& g)
    : options(chosen),
      self_attn(attention_of(d_model, nhead, chosen, g)),
      multihead_attn(attention_of(d_model, nhead, chosen, g)),
      linear1(d_model, chosen.dim_feedforward, true, g),
      linear2(chosen.dim_feedforward, d_model, true, g),
      norm1(norm_of(d_model, chosen)),
      norm2(norm_of(d_model, chosen)),
      norm3(norm_of(d_model, chosen)),
      dropout_(chosen.dropout, g) {}

void TransformerDecoderLayer::visit(Visitor& v) {
  v("self_attn", self_attn);
  v("multihead_attn", multihead_attn);
  v("linear1", linear1);
  v("linear2", linear2);
  v("norm1", norm1);
  v("norm2", norm2);
  v("norm3", norm3);
  v("dropout", dropout_);
}

// The layer around its two attentions, which give contexts of a query.
template <class Self, class Cross>
Var TransformerDecoderLayer::through(const Var& tgt, Self self, Cross cross) const {
  Var x = residual(tgt, norm1, options.norm_first, [&](const Var& y) { return dropout_(self(y)); });
  x = residual(x, norm2, options.norm_first, [&](const Var& y) { return dropout_(cross(y)); });
  return residual(x, norm3, options.norm_first, [&](const Var& y) {
    return dropout_(linear2(dropout_(activated(linear1(y), options))));
  });
}

Var TransformerDecoderLayer::operator()(const Var& tgt, const Var& memory, const AttendTo& self,
                                        const AttendTo& cross) const {
  return through(
      tgt, [&](const Var& y) { return self_attn(y, y, y, self.mask, self.bias).context; },
      [&](const Var& y) {
        return multihead_attn(y, memory, memory, cross.mask, cross.bias).context;
      });
}

TransformerDecoderLayer::Cache TransformerDecoderLayer::start(const Var& memory,
                                                              const Mask& mask) const {
  return {{}, multihead_attn.project(memory, memory, mask)};
}

TransformerDecoderLayer::Step TransformerDecoderLayer::step(const Var& tgt,
                                                            const Cache& cache) const {
  Step out{{}, {}, cache};
  ProjectedKeys& past = out.cache.past;
  out.output = through(
      tgt,
      [&](const Var& y) {
        const ProjectedKeys now = self_attn.project(y, y);
        past = past.key.defined() ? past.followed_by(now) : now;
        ProjectedKeys seen = past;
        const int64_t T = now.key.size(2);
        if (T > 1) seen.mask = Mask::causal(T, past.key.size(2));
        return self_attn.attend(y, seen).context;
      },
      [&](const Var& y) {
        const Attended seen = multihead_attn.attend(y, cache.memory);
        out.weights = seen.weights;
        return seen.context;
      });
  return out;
}

TransformerEncoder::TransformerEncoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                                       const TransformerOptions& options, bool final_norm,
                                       Generator& g)
    : layers(stack_of<TransformerEncoderLayer>(num_layers, d_model, nhead, options, g)) {
  if (final_norm) norm = norm_of(d_model, options);
}

void TransformerEncoder::visit(Visitor& v) { visit_stack(v, layers, norm); }

Var TransformerEncoder::operator()(Var src, const AttendTo& self) const {
  for (const TransformerEncoderLayer& layer : layers) src = layer(src, self);
  return norm ? (*norm)(src) : src;
}

TransformerDecoder::TransformerDecoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                                       const TransformerOptions& options, bool final_norm,
                                       Generator& g)
    : layers(stack_of<TransformerDecoderLayer>(num_layers, d_model, nhead, options, g)) {
  if (final_norm) norm = norm_of(d_model, options);
}

void TransformerDecoder::visit(Visitor& v) { visit_stack(v, layers, norm); }

Var TransformerDecoder::operator()(Var tgt, const Var& memory, const AttendTo& self,
                                   const AttendTo& cross) const {
  for (const TransformerDecoderLayer& layer : layers) tgt = layer(tgt, memory, self, cross);
  return norm ? (*norm)(tgt) : tgt;
}

TransformerDecoder::Cache TransformerDecoder::start(const Var& memory, const Mask& mask) const {
  Cache cache;
  for (const TransformerDecoderLayer& layer : layers) cache.push_back(layer.start(memory, mask));
  return cache;
}

TransformerDecoder::Step TransformerDecoder::step(const Var& tgt, const Cache& cache) const {
  Step out{tgt, {}, {}};
  for (size_t i = 0; i < layers.size(); ++i) {
    TransformerDecoderLayer::Step one = layers[i].step(out.output, cache.at(i));
    out.output = one.output;
    out.weights = one.weights;
    out.cache.push_back(std::move(one.cache));
  }
  if (norm) out.output = (*norm)(out.output);
  return out;
}

TransformerDecoder::Cache TransformerDecoder::rows(const Cache& cache, const Tensor& index) {
  Cache chosen;
  for (const TransformerDecoderLayer::Cache& layer : cache)
    chosen.push_back({layer.past.key.defined() ? layer.past.rows(index) : ProjectedKeys{},
                      layer.memory.rows(index)});
  return chosen;
}

Transformer::Transformer(int64_t d_model, int64_t nhead, int64_t num_encoder_layers,
                         int64_t num_decoder_layers, const TransformerOptions& options,
                         Generator& generator)
    : encoder(num_encoder_layers, d_model, nhead, options, true, generator),
      decoder(num_decoder_layers, d_model, nhead, options, true, generator) {
  for (const Var& weight : parameters())
    if (weight.ndim() > 1) xavier_uniform_(weight, generator);
}

void Transformer::visit(Visitor& v) {
  v("encoder", encoder);
  v("decoder", decoder);
}

Var Transformer::operator()(const Var& src, const Var& tgt, const AttendTo& encoder_self,
                            const AttendTo& decoder_self, const AttendTo& cross) const {
  return decoder(tgt, encoder(src, encoder_self), decoder_self, cross);
}

}  // namespace glass
