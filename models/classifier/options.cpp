// ClassifierOptions as JSON.
#include "models/classifier/classifier.h"
#include "models/json.h"

namespace glass {

Json to_json(const ClassifierOptions& o) {
  return {{"source_vocabulary", o.source_vocabulary},
          {"target_vocabulary", o.target_vocabulary},
          {"encoder", o.encoder},
          {"embedding", o.embedding},
          {"hidden", o.hidden},
          {"layers", o.layers},
          {"heads", o.heads},
          {"attention_size", o.attention_size},
          {"hops", o.hops},
          {"penalty", o.penalty},
          {"dropout", o.dropout},
          {"label_smoothing", o.label_smoothing}};
}

ClassifierOptions classifier_options(const Json& json) {
  const char* where = "model";
  refuse_unknown(json, to_json(ClassifierOptions{}), where);
  ClassifierOptions o;
  o.source_vocabulary = entry(json, "source_vocabulary", where, kCountRange);
  o.target_vocabulary = entry(json, "target_vocabulary", where, kCountRange);
  o.encoder = entry<std::string>(json, "encoder", where);
  if (o.encoder != "recurrent" && o.encoder != "transformer")
    fail_environment(where, "encoder must be recurrent or transformer", "got ", o.encoder);
  o.embedding = entry(json, "embedding", where, kSizeRange);
  o.hidden = entry(json, "hidden", where, kSizeRange);
  o.layers = entry(json, "layers", where, kLayersRange);
  o.heads = entry(json, "heads", where, kSizeRange);
  if (o.encoder == "transformer" && o.embedding % o.heads != 0)
    fail_environment(where, "embedding must be a multiple of heads", o.embedding, " and ", o.heads);
  o.attention_size = entry(json, "attention_size", where, kSizeRange);
  o.hops = entry(json, "hops", where, kSizeRange);
  o.penalty = entry(json, "penalty", where, kAmountRange);
  o.dropout = entry(json, "dropout", where, kDropoutRange);
  o.label_smoothing = entry(json, "label_smoothing", where, kSmoothingRange);
  return o;
}

}  // namespace glass
