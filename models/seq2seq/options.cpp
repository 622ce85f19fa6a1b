// Seq2SeqOptions as JSON.
#include "models/json.h"
#include "models/seq2seq/seq2seq.h"

namespace glass {

Json to_json(const Seq2SeqOptions& o) {
  Json json = {{"source_vocabulary", o.source_vocabulary},
               {"target_vocabulary", o.target_vocabulary},
               {"embedding", o.embedding},
               {"hidden", o.hidden},
               {"layers", o.layers},
               {"decoder_layers", o.decoder_layers},
               {"cell", name(o.cell)},
               {"bidirectional", o.bidirectional},
               {"convolutional", o.convolutional},
               {"place", name(o.place)},
               {"attention", to_json(o.attention)},
               {"input_feeding", o.input_feeding},
               {"tied", o.tied},
               {"bridge", name(o.bridge)},
               {"sampling", o.sampling.schedule},
               {"sampling_k", o.sampling.k},
               {"dropout", o.dropout},
               {"label_smoothing", o.label_smoothing},
               {"sentinel", o.sentinel},
               {"doubly_stochastic", o.doubly.weight},
               {"doubly_target", o.doubly.target},
               {"doubly_reduction", o.doubly.reduction}};
  if (o.picture) json["picture"] = to_json(*o.picture);
  return json;
}

Seq2SeqOptions seq2seq_options(const Json& json) {
  const char* where = "model";
  refuse_unknown(json, to_json(Seq2SeqOptions{.picture = PictureEncoderOptions{}}), where);
  Seq2SeqOptions o;
  o.source_vocabulary = entry(json, "source_vocabulary", where, kCountRange);
  o.target_vocabulary = entry(json, "target_vocabulary", where, kCountRange);
  o.embedding = entry(json, "embedding", where, kSizeRange);
  o.hidden = entry(json, "hidden", where, kSizeRange);
  o.layers = entry(json, "layers", where, kLayersRange);
  o.decoder_layers = entry(json, "decoder_layers", where, kLayersRange);
  o.cell = cell_named(entry<std::string>(json, "cell", where));
  o.bidirectional = entry<bool>(json, "bidirectional", where);
  o.convolutional = entry<bool>(json, "convolutional", where);
  o.place = place_named(entry<std::string>(json, "place", where));
  o.attention = attention_choice(require(json, "attention", where));
  o.input_feeding = entry<bool>(json, "input_feeding", where);
  o.tied = entry<bool>(json, "tied", where);
  if (json.contains("bridge"))  // runs of older versions have none
    o.bridge = bridge_named(entry<std::string>(json, "bridge", where));
  o.sampling = {entry<std::string>(json, "sampling", where),
                entry(json, "sampling_k", where, kAmountRange)};
  o.sampling.keep(0);  // throws for an unknown schedule
  // Runs of older versions have none of these.
  if (json.contains("sentinel")) o.sentinel = entry<bool>(json, "sentinel", where);
  if (json.contains("doubly_stochastic"))
    o.doubly = {entry(json, "doubly_stochastic", where, kAmountRange),
                entry<std::string>(json, "doubly_target", where),
                entry<std::string>(json, "doubly_reduction", where)};
  if (json.contains("picture")) o.picture = picture_encoder_options(json["picture"]);
  o.dropout = entry(json, "dropout", where, kDropoutRange);
  o.label_smoothing = entry(json, "label_smoothing", where, kSmoothingRange);
  return o;
}

}  // namespace glass
