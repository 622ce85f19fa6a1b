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
  const char* where = "config.json, model";
  const Json known = to_json(Seq2SeqOptions{});
  for (const auto& [key, value] : json.items())
    if (!known.contains(key)) fail_environment(where, "unknown entry", key);
  Seq2SeqOptions o;
  o.source_vocabulary = entry<int64_t>(json, "source_vocabulary", where);
  o.target_vocabulary = entry<int64_t>(json, "target_vocabulary", where);
  o.embedding = entry<int64_t>(json, "embedding", where);
  o.hidden = entry<int64_t>(json, "hidden", where);
  o.attention = entry<int64_t>(json, "attention", where);
  o.layers = entry<int64_t>(json, "layers", where);
  const auto cell = entry<std::string>(json, "cell", where);
  if (cell != "lstm" && cell != "gru") fail_environment(where, "cell must be lstm or gru", cell);
  o.cell = cell == "lstm" ? CellKind::lstm : CellKind::gru;
  o.bidirectional = entry<bool>(json, "bidirectional", where);
  o.dropout = entry<double>(json, "dropout", where);
  o.label_smoothing = entry<double>(json, "label_smoothing", where);
  return o;
}

}  // namespace glass
