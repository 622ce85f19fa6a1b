// TransformerTranslatorOptions as JSON.
#include "models/json.h"
#include "models/transformer/translator.h"

namespace glass {

Json to_json(const TransformerTranslatorOptions& o) {
  Json json = {{"source_vocabulary", o.source_vocabulary},
               {"target_vocabulary", o.target_vocabulary},
               {"d_model", o.d_model},
               {"ffn", o.ffn},
               {"heads", o.heads},
               {"layers", o.layers},
               {"decoder_layers", o.decoder_layers},
               {"dropout", o.dropout},
               {"label_smoothing", o.label_smoothing},
               {"norm_first", o.norm_first},
               {"tied", o.tied}};
  if (o.picture) json["picture"] = to_json(*o.picture);
  return json;
}

TransformerTranslatorOptions transformer_options(const Json& json) {
  const char* where = "model";
  refuse_unknown(json, to_json(TransformerTranslatorOptions{.picture = PictureEncoderOptions{}}),
                 where);
  TransformerTranslatorOptions o;
  o.source_vocabulary = entry(json, "source_vocabulary", where, kCountRange);
  o.target_vocabulary = entry(json, "target_vocabulary", where, kCountRange);
  o.d_model = entry(json, "d_model", where, kSizeRange);
  o.ffn = entry(json, "ffn", where, kSizeRange);
  o.heads = entry(json, "heads", where, kSizeRange);
  if (o.d_model % o.heads != 0)
    fail_environment(where, "d_model must be a multiple of heads", o.d_model, " and ", o.heads);
  if (json.contains("picture")) o.picture = picture_encoder_options(json["picture"]);
  o.layers = entry(json, "layers", where, o.picture ? kLayersOrNoneRange : kLayersRange);
  o.decoder_layers = entry(json, "decoder_layers", where, kLayersRange);
  o.dropout = entry(json, "dropout", where, kDropoutRange);
  o.label_smoothing = entry(json, "label_smoothing", where, kSmoothingRange);
  o.norm_first = entry<bool>(json, "norm_first", where);
  o.tied = entry<bool>(json, "tied", where);
  return o;
}

}  // namespace glass
