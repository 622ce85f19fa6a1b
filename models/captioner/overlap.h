#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/data/corpus.h"
#include "models/seq2seq/translator.h"

namespace glass {

/// How well attention finds the object that a word speaks of, over the words for size, colour and
/// shape in every caption of scenes (shapes.h), given the words before: attention_iou is the mean
/// of attention_overlap() with the object's mask, uniform_iou that of a uniform map, shuffled_iou
/// that of the maps given to words of other scenes. Nothing when a source is no scene, or the model
/// does not attend or write words. poll is called before each batch.
std::vector<std::pair<std::string, double>> scene_overlaps(Translator& model,
                                                           const TextCodec& codec,
                                                           const std::vector<std::string>& sources,
                                                           const std::function<void()>& poll);

/// One row of weights over the cells of a map as [h, w]. Throws Error unless the map is a square.
Tensor square_map(const Tensor& weights);

}  // namespace glass
