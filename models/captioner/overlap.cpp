#include "models/captioner/overlap.h"

#include <cmath>

#include "models/data/shapes.h"
#include "models/metrics/attention_overlap.h"

namespace glass {
namespace {

constexpr size_t kBatch = 64;  // scenes

// A word's map, and the mask of what it speaks of.
struct Word {
  Tensor map, mask;
};

// Adds the words of these scenes.
void look(Translator& model, const TextCodec& codec, const std::vector<uint64_t>& numbers,
          std::vector<Word>& words) {
  std::vector<Source> sources;
  std::vector<std::vector<int64_t>> targets;
  std::vector<std::pair<Scene, SceneCaption>> all;
  for (const uint64_t number : numbers) {
    const Scene scene = make_scene(number);
    const Source source = codec.encode_source(scene_name(number));
    for (const SceneCaption& caption : captions(scene)) {
      sources.push_back(source);
      targets.push_back(codec.encode_target(caption.text));
      all.emplace_back(scene, caption);
    }
  }
  const Tensor weights = model.attention(make_batch(sources, targets));  // [B, T, S]
  for (size_t b = 0; b < all.size(); ++b) {
    const auto& [scene, caption] = all[b];
    if (targets[b].size() != caption.objects.size()) return;  // tokens are no words
    std::vector<Tensor> masks;
    for (size_t i = 0; i < scene.objects.size(); ++i) masks.push_back(object_mask(scene, i));
    for (size_t t = 0; t < caption.objects.size(); ++t) {
      if (caption.objects[t] < 0) continue;
      const Tensor row =
          weights.select(0, static_cast<int64_t>(b)).select(0, static_cast<int64_t>(t));
      words.push_back({square_map(row), masks[static_cast<size_t>(caption.objects[t])]});
    }
  }
}

}  // namespace

Tensor square_map(const Tensor& weights) {
  const int64_t cells = weights.numel();
  const int64_t side = std::lround(std::sqrt(static_cast<double>(cells)));
  if (side * side != cells) fail("attention", "the map is no square", cells, " cells");
  return weights.contiguous().reshape({side, side});
}

std::vector<std::pair<std::string, double>> scene_overlaps(Translator& model,
                                                           const TextCodec& codec,
                                                           const std::vector<std::string>& sources,
                                                           const std::function<void()>& poll) {
  if (!model.attends()) return {};
  std::vector<uint64_t> numbers;
  for (const std::string& source : sources) {
    const auto number = scene_number(source);
    if (!number) return {};
    numbers.push_back(*number);
  }
  std::vector<Word> words;
  for (size_t from = 0; from < numbers.size(); from += kBatch) {
    poll();
    const auto first = numbers.begin() + static_cast<int64_t>(from);
    const auto last = first + static_cast<int64_t>(std::min(kBatch, numbers.size() - from));
    look(model, codec, {first, last}, words);
  }
  if (words.empty()) return {};
  double own = 0, uniform = 0, shuffled = 0;
  const auto n = static_cast<double>(words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    own += attention_overlap(word.map, word.mask) / n;
    uniform += attention_overlap(Tensor::ones({1, 1}), word.mask) / n;
    shuffled += attention_overlap(words[(i + words.size() / 2) % words.size()].map, word.mask) / n;
  }
  return {{"attention_iou", own}, {"uniform_iou", uniform}, {"shuffled_iou", shuffled}};
}

}  // namespace glass
