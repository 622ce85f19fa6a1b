#include "models/seq2seq/recording.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/reduction.h"
#include "models/json.h"
#include "models/text/utf8.h"
#include "nn/attention/recorder.h"
#include "tensor/ops.h"

namespace glass {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::vector<std::string> cell_names(int64_t cells) {
  std::vector<std::string> names;
  const int64_t side = std::lround(std::sqrt(static_cast<double>(cells)));
  for (int64_t i = 0; i < cells; ++i) names.push_back(text(i / side, ",", i % side));
  return names;
}

std::vector<double> row(const Tensor& x) { return x.to(kFloat64).to_vector<double>(); }

}  // namespace

const LayerAttention& AttentionRecording::layer(const std::string& name) const {
  std::string known;
  const LayerAttention* last = nullptr;
  for (const LayerAttention& each : layers) {
    if (each.layer == name) return each;
    if (each.rows == target && each.columns == source) last = &each;
    known += (known.empty() ? "" : ", ") + each.layer;
  }
  if (name.empty() && last) return *last;
  fail("attend", "the model has no attention layer of this name", name.empty() ? "(none)" : name,
       "; there are: ", known.empty() ? "none" : known);
}

AttentionRecording record_attention(Translator& model, const TextCodec& codec,
                                    const std::string& text, const Translation& answer) {
  AttentionRecording y;
  y.source_text = text;
  y.target_text = answer.text;
  y.target = answer.tokens;
  y.source = codec.source_tokens(text);
  if ((y.source.empty() && !codec.reads_pictures()) || trim(text).empty())
    fail("attend", "the text is blank, so there is nothing to read", "got \"", text, "\"");
  check_text_length("attend", "source", text, static_cast<int64_t>(y.source.size()));
  check_text_length("attend", "target", answer.text, static_cast<int64_t>(y.target.size()));
  check_source_length(model, text, static_cast<int64_t>(y.source.size()));
  std::vector<int64_t> ids;
  for (const std::string& token : y.target) ids.push_back(codec.target.id(token));
  const Seq2SeqBatch batch = make_batch({codec.encode_source(text)}, {ids});
  AttentionRecorder recorder(model);
  const int64_t S = model.attention(batch).size(2);
  if (codec.reads_pictures()) y.source = cell_names(S);
  const int64_t T = static_cast<int64_t>(y.target.size());
  std::vector<std::string> read_so_far = {"<bos>"};  // what the decoder attends to of itself
  read_so_far.insert(read_so_far.end(), y.target.begin(), y.target.end());
  for (const std::string& name : recorder.layers()) {
    LayerAttention layer{name, y.target, y.source, recorder.weights(name).select(0, 0), {}};
    if (has(name, "pooling")) {
      layer.weights = layer.weights.transpose(0, 1).contiguous();  // hops are shown as heads
    } else if (has(name, "encoder")) {
      layer.rows = y.source;
    } else {
      layer.weights = layer.weights.narrow(1, 0, T).contiguous();  // without the row of eos
      if (has(name, "self_attn")) {
        layer.columns = {read_so_far.begin(), read_so_far.begin() + T};
        layer.weights = layer.weights.narrow(2, 0, T).contiguous();
      } else if (layer.weights.size(2) == S + 1) {
        layer.gate_name = "sentinel";
        layer.gates = mean(Var(layer.weights.select(2, S)), {0}).value();
        layer.weights = layer.weights.narrow(2, 0, S).contiguous();
      }
      if (const Tensor gates = recorder.gates(name); gates.defined()) {
        layer.gate_name = "gate";
        layer.gates = gates.select(0, 0).narrow(0, 0, T).contiguous();
      }
    }
    layer.mass = sum(layer.weights, {2});
    y.layers.push_back(std::move(layer));
  }
  return y;
}

AttentionRecording record_attention(Translator& model, const TextCodec& codec,
                                    const std::string& text, const std::string& answer,
                                    int64_t beam) {
  Translation given;
  given.text = answer;
  given.tokens = codec.target_tokens(answer);
  if (answer.empty() && !trim(text).empty())
    given = translate(model, codec, {text}, {.search = {.beam = beam}})[0][0];
  return record_attention(model, codec, text, given);
}

AttentionMap attention_map(const AttentionRecording& recording, const LayerAttention& layer,
                           int64_t head) {
  const int64_t heads = layer.weights.size(0);
  if (head < -1 || head >= heads)
    fail("attend", "no head of this number", head, "; the layer has heads 0 … ", heads - 1);
  const Tensor weights =
      head < 0 ? mean(Var(layer.weights), {0}).value() : layer.weights.select(0, head).contiguous();
  AttentionMap map{layer.columns, layer.rows, {}, ""};
  for (int64_t t = 0; t < weights.size(0); ++t) map.weights.push_back(row(weights.select(0, t)));
  map.title = recording.source_text + " → " + recording.target_text;
  if (recording.layers.size() > 1) map.title += ", " + layer.layer;
  if (heads > 1) map.title += head < 0 ? ", mean of heads" : text(", head ", head);
  return map;
}

Json to_json(const AttentionRecording& recording) {
  Json layers = Json::array();
  for (const LayerAttention& layer : recording.layers) {
    Json weights = Json::array(), mass = Json::array();
    for (int64_t h = 0; h < layer.weights.size(0); ++h) {
      Json rows = Json::array();
      for (int64_t t = 0; t < layer.weights.size(1); ++t)
        rows.push_back(row(layer.weights.select(0, h).select(0, t)));
      weights.push_back(rows);
      mass.push_back(row(layer.mass.select(0, h)));
    }
    layers.push_back({{"layer", layer.layer},
                      {"rows", layer.rows},
                      {"columns", layer.columns},
                      {"weights", weights},
                      {"mass", mass}});
    if (layer.gates.defined()) layers.back()[layer.gate_name] = row(layer.gates);
  }
  return {{"source", recording.source},
          {"target", recording.target},
          {"source_text", recording.source_text},
          {"target_text", recording.target_text},
          {"layers", layers}};
}

}  // namespace glass
