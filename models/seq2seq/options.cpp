// Seq2SeqOptions as JSON.
#include "models/json.h"
#include "models/seq2seq/seq2seq.h"

namespace glass {

Json to_json(const Seq2SeqOptions& o) {
  return {{"source_vocabulary", o.source_vocabulary},
          {"target_vocabulary", o.target_vocabulary},
          {"embedding", o.embedding},
          {"hidden", o.hidden},
          {"attention", o.attention},
          {"layers", o.layers},
          {"cell", o.cell == CellKind::lstm ? "lstm" : "gru"},
          {"bidirectional", o.bidirectional},
          {"dropout", o.dropout},
          {"label_smoothing", o.label_smoothing}};
}

Seq2SeqOptions seq2seq_options(const Json& json) {
  const char* where = "model";
  if (!json.is_object()) fail_environment(where, "must be an object", "got ", json.type_name());
  const Json known = to_json(Seq2SeqOptions{});
  for (const auto& [key, value] : json.items())
    if (!known.contains(key)) fail_environment(where, "unknown entry", key);
  Seq2SeqOptions o;
  o.source_vocabulary = entry(json, "source_vocabulary", where, kCountRange);
  o.target_vocabulary = entry(json, "target_vocabulary", where, kCountRange);
  o.embedding = entry(json, "embedding", where, kSizeRange);
  o.hidden = entry(json, "hidden", where, kSizeRange);
  o.attention = entry(json, "attention", where, kSizeRange);
  o.layers = entry(json, "layers", where, kLayersRange);
  const auto cell = entry<std::string>(json, "cell", where);
  if (cell != "lstm" && cell != "gru")
    fail_environment(where, "cell must be lstm or gru", "got ", cell);
  o.cell = cell == "lstm" ? CellKind::lstm : CellKind::gru;
  o.bidirectional = entry<bool>(json, "bidirectional", where);
  o.dropout = entry(json, "dropout", where, kDropoutRange);
  o.label_smoothing = entry(json, "label_smoothing", where, kSmoothingRange);
  return o;
}

}  // namespace glass
