#include "models/captioner/look.h"

#include <filesystem>

#include "models/captioner/overlap.h"
#include "models/data/shapes.h"

namespace glass {

PictureAttention look(const TextCodec& codec, const AttentionRecording& recording,
                      const LayerAttention& layer) {
  if (layer.columns != recording.source || layer.rows != recording.target)
    fail("look", "this layer does not look from words to the picture", layer.layer);
  PictureAttention y;
  y.picture = *codec.encode_source(recording.source_text).picture;
  y.name = picture_name(recording.source_text);
  y.text = recording.target_text;
  y.words = layer.rows;
  for (int64_t head = 0; head < layer.weights.size(0); ++head) {
    y.maps.emplace_back();
    for (int64_t t = 0; t < layer.weights.size(1); ++t)
      y.maps.back().push_back(square_map(layer.weights.select(0, head).select(0, t)));
  }
  y.gate_name = layer.gate_name;
  if (layer.gates.defined()) y.gates = layer.gates.to(kFloat64).to_vector<double>();
  return y;
}

std::string picture_name(const std::string& source) {
  return scene_number(source) ? source : std::filesystem::path(source).filename().string();
}

}  // namespace glass
