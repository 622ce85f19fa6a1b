#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/report/attention_map.h"
#include "models/seq2seq/evaluate.h"

namespace glass {

/// The attention of one layer while a sentence was written.
struct LayerAttention {
  std::string layer;                       ///< its path in the model
  std::vector<std::string> rows, columns;  ///< tokens of queries and keys
  Tensor weights;                          ///< [H, T, S]
  Tensor mass;                             ///< [H, T]: what each row sums to
  std::string gate_name = {};              ///< of gates: gate, or sentinel
  Tensor gates = {};  ///< [T]: β of a gate (the mean over features) or of a sentinel; undefined
};

/// A sentence or a picture (its cells are its tokens: "row,column"), an answer, and every attention
/// layer's weights under that answer.
struct AttentionRecording {
  std::vector<std::string> source, target;
  std::string source_text, target_text;
  std::vector<LayerAttention> layers;

  /// The layer of that name; "" is the last one from target to source. Throws Error naming the
  /// layers there are.
  const LayerAttention& layer(const std::string& name) const;
};

/// Runs the model over a text and an answer of it, token by token: how an answer is written need
/// not say what its tokens are.
AttentionRecording record_attention(Translator& model, const TextCodec& codec,
                                    const std::string& text, const Translation& answer);
/// The same for an answer as it is written, or (empty) the model's own best with that beam.
AttentionRecording record_attention(Translator& model, const TextCodec& codec,
                                    const std::string& text, const std::string& answer,
                                    int64_t beam);

/// One head's map; head -1: the mean of all.
AttentionMap attention_map(const AttentionRecording& recording, const LayerAttention& layer,
                           int64_t head);
nlohmann::json to_json(const AttentionRecording& recording);

}  // namespace glass
