// The entries of nn/transformer.h.
#include "nn/replay_masks.h"
#include "nn/samples.h"
#include "nn/table.h"
#include "nn/transformer.h"

namespace glass {
namespace {

TransformerOptions read_options(Replay& r) {
  const std::string activation = r.text("activation", "relu");
  if (activation != "relu" && activation != "gelu")
    fail(r.op, "activation must be relu or gelu", activation);
  return {.dim_feedforward = r.integer("dim_feedforward", 2048),
          .dropout = r.real("dropout", 0.1),
          .activation = activation == "relu" ? TransformerOptions::Activation::relu
                                             : TransformerOptions::Activation::gelu,
          .layer_norm_eps = r.real("layer_norm_eps", 1e-5),
          .batch_first = r.flag("batch_first", false),
          .norm_first = r.flag("norm_first", false)};
}

// of: "src", "tgt" or "memory", whose masks are src_mask and src_key_padding_mask.
AttendTo masks(Replay& r, const std::string& of) {
  auto [mask, bias] = read_masks(r, r.integer("nhead", 8), of + "_mask", of + "_key_padding_mask");
  return {mask, bias};
}

// Makes the entries of {"layer": {...}} arguments of the call itself.
void unfold_layer(Replay& r) {
  const auto parts = std::get<std::vector<Argument>>(r.argument("layer").value);
  for (size_t i = 0; i + 1 < parts.size(); i += 2)
    r.arguments[std::get<std::string>(parts[i].value)] = parts[i + 1];
}

Vars replay_encoder_layer(Replay& r) {
  Generator g;
  return replay_module(
      r, TransformerEncoderLayer(r.integer("d_model"), r.integer("nhead"), read_options(r), g),
      [&](TransformerEncoderLayer& layer) { return Vars{layer(r["src"], masks(r, "src"))}; });
}

Vars replay_decoder_layer(Replay& r) {
  Generator g;
  return replay_module(
      r, TransformerDecoderLayer(r.integer("d_model"), r.integer("nhead"), read_options(r), g),
      [&](TransformerDecoderLayer& layer) {
        return Vars{layer(r["tgt"], r["memory"], masks(r, "tgt"), masks(r, "memory"))};
      });
}

Vars replay_encoder(Replay& r) {
  Generator g;
  unfold_layer(r);
  return replay_module(
      r,
      TransformerEncoder(r.integer("num_layers"), r.integer("d_model"), r.integer("nhead"),
                         read_options(r), r.flag("final_norm", false), g),
      [&](TransformerEncoder& stack) { return Vars{stack(r["src"], masks(r, "src"))}; });
}

Vars replay_decoder(Replay& r) {
  Generator g;
  unfold_layer(r);
  return replay_module(
      r,
      TransformerDecoder(r.integer("num_layers"), r.integer("d_model"), r.integer("nhead"),
                         read_options(r), r.flag("final_norm", false), g),
      [&](TransformerDecoder& stack) {
        return Vars{stack(r["tgt"], r["memory"], masks(r, "tgt"), masks(r, "memory"))};
      });
}

Vars replay_transformer(Replay& r) {
  Generator g;
  return replay_module(r,
                       Transformer(r.integer("d_model", 512), r.integer("nhead", 8),
                                   r.integer("num_encoder_layers", 6),
                                   r.integer("num_decoder_layers", 6), read_options(r), g),
                       [&](Transformer& model) {
                         return Vars{model(r["src"], r["tgt"], masks(r, "src"), masks(r, "tgt"),
                                           masks(r, "memory"))};
                       });
}

// A module with two heads on 4 features, no dropout: its inputs, then its parameters.
template <class M>
Sample module_sample(std::string label, const std::vector<Shape>& inputs,
                     std::function<M(Generator&)> make, std::function<Var(M&, const Vars&)> call) {
  Generator generator;
  M shaped = make(generator);
  Sample sample{};
  sample.label = std::move(label);
  for (const Shape& shape : inputs) sample.inputs.push_back({shape, -1, 1});
  const size_t first = inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    M module = make(unused);
    bind_parameters(module, in, first);
    return Vars{call(module, in)};
  };
  return sample;
}

// gelu, because relu's kinks are met by chance.
TransformerOptions small(bool norm_first) {
  return {.dim_feedforward = 3,
          .dropout = 0,
          .activation = TransformerOptions::Activation::gelu,
          .batch_first = true,
          .norm_first = norm_first};
}

Sample encoder_layer_sample(const char* label, bool norm_first, const Mask& mask) {
  return module_sample<TransformerEncoderLayer>(
      label, {{2, 3, 4}},
      [=](Generator& g) { return TransformerEncoderLayer(4, 2, small(norm_first), g); },
      [=](TransformerEncoderLayer& layer, const Vars& in) { return layer(in[0], {.mask = mask}); });
}

Sample decoder_layer_sample(const char* label, bool norm_first) {
  return module_sample<TransformerDecoderLayer>(
      label, {{1, 2, 4}, {1, 3, 4}},
      [=](Generator& g) { return TransformerDecoderLayer(4, 2, small(norm_first), g); },
      [](TransformerDecoderLayer& layer, const Vars& in) {
        return layer(in[0], in[1], {.mask = Mask::causal(2, 2)},
                     {.mask = Mask::from_lengths({2}, 3)});
      });
}

}  // namespace

std::vector<Entry> transformer_entries() {
  const auto negative = [] {
    Generator g;
    TransformerEncoder(-1, 4, 2, small(false), false, g);
  };
  const auto encoder = module_sample<TransformerEncoder>(
      "two layers, norm", {{1, 3, 4}},
      [](Generator& g) { return TransformerEncoder(2, 4, 2, small(false), true, g); },
      [](TransformerEncoder& stack, const Vars& in) { return stack(in[0]); });
  const auto decoder = module_sample<TransformerDecoder>(
      "one layer, norm", {{1, 2, 4}, {1, 3, 4}},
      [](Generator& g) { return TransformerDecoder(1, 4, 2, small(true), true, g); },
      [](TransformerDecoder& stack, const Vars& in) { return stack(in[0], in[1]); });
  const auto whole = module_sample<Transformer>(
      "one layer each", {{1, 3, 4}, {1, 2, 4}},
      [](Generator& g) { return Transformer(4, 2, 1, 1, small(false), g); },
      [](Transformer& model, const Vars& in) {
        return model(in[0], in[1], {}, {.mask = Mask::causal(2, 2)});
      });
  return {
      {.name = "TransformerEncoderLayer",
       .kind = EntryKind::layer,
       .formula = "x = norm1(x + attention(x, x, x)), y = norm2(x + linear2(act(linear1(x)))); "
                  "norm_first: x + f(norm(x)) instead",
       .gradient = "as its parts",
       .samples = {encoder_layer_sample("norm last, lengths", false, Mask::from_lengths({2, 3}, 3)),
                   encoder_layer_sample("norm first, causal", true, Mask::causal(3, 3))},
       .replay = replay_encoder_layer},
      {.name = "TransformerDecoderLayer",
       .kind = EntryKind::layer,
       .formula = "as the encoder layer, with attention(x, memory, memory) in between",
       .gradient = "as its parts",
       .samples = {decoder_layer_sample("norm last", false),
                   decoder_layer_sample("norm first", true)},
       .replay = replay_decoder_layer},
      {.name = "TransformerEncoder",
       .kind = EntryKind::layer,
       .formula = "num_layers encoder layers in turn, then a norm where there is one",
       .gradient = "as its parts",
       .samples = {encoder},
       .errors = {{"fewer layers than none", negative, "must not be negative"}},
       .replay = replay_encoder},
      {.name = "TransformerDecoder",
       .kind = EntryKind::layer,
       .formula = "num_layers decoder layers in turn, then a norm where there is one",
       .gradient = "as its parts",
       .samples = {decoder},
       .replay = replay_decoder},
      {.name = "Transformer",
       .kind = EntryKind::layer,
       .formula = "decoder(tgt, encoder(src))",
       .gradient = "as its parts",
       .samples = {whole},
       .replay = replay_transformer}};
}

}  // namespace glass
