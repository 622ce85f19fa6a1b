// Seq2SeqOptions as JSON.
#include <nlohmann/json.hpp>

#include "models/data/corpus.h"
#include "models/seq2seq/seq2seq.h"

namespace glass {

nlohmann::json to_json(const Seq2SeqOptions& o) {
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

Seq2SeqOptions seq2seq_options(const nlohmann::json& json) {
  const char* where = "config.json, model";
  const nlohmann::json known = to_json(Seq2SeqOptions{});
  for (const auto& [key, value] : json.items())
    if (!known.contains(key)) fail_environment(where, "unknown entry", key);
  Seq2SeqOptions o;
  o.source_vocabulary = require(json, "source_vocabulary", where).get<int64_t>();
  o.target_vocabulary = require(json, "target_vocabulary", where).get<int64_t>();
  o.embedding = require(json, "embedding", where).get<int64_t>();
  o.hidden = require(json, "hidden", where).get<int64_t>();
  o.attention = require(json, "attention", where).get<int64_t>();
  o.layers = require(json, "layers", where).get<int64_t>();
  const auto cell = require(json, "cell", where).get<std::string>();
  if (cell != "lstm" && cell != "gru") fail_environment(where, "cell must be lstm or gru", cell);
  o.cell = cell == "lstm" ? CellKind::lstm : CellKind::gru;
  o.bidirectional = require(json, "bidirectional", where).get<bool>();
  o.dropout = require(json, "dropout", where).get<double>();
  o.label_smoothing = require(json, "label_smoothing", where).get<double>();
  return o;
}

}  // namespace glass
