#pragma once

#include <string>
#include <vector>

#include "models/image/image.h"

namespace glass {

/// Where a model looked in a picture for each word that it wrote.
struct PictureAttention {
  Image picture;
  std::string name, text;  ///< of the picture, and what was written of it
  std::vector<std::string> words;
  std::vector<std::vector<Tensor>> maps;  ///< [heads][words], [h, w] each
  std::string gate_name;                  ///< of gates, where the model has some
  std::vector<double> gates;              ///< one per word, in 0 … 1; or none
  /// Where maps are no heads but different things, the name of each.
  std::vector<std::string> map_names = {};
};

/// Throws Error naming op unless there is one map per word in each head, and a gate per word and a
/// name per head, or none.
void check_sizes(std::string_view op, const PictureAttention& attention);

/// The picture as lit by a map [h, w], enlarged (bilinear): where the map is highest the picture
/// has its own colours, where the map is 0 it is dark. A map of zeros leaves it dark.
Image overlay(const Image& picture, const Tensor& map);

/// The highest finite weight of a map, at least 0: what overlay() lights most.
double highest(const Tensor& map);

/// A sheet: the picture, then for each word the overlay of its map above the word, the map's
/// highest weight and its gate. Of several heads a row for their mean, and one for each; of named
/// maps a row for each.
Image overlay_sheet(const PictureAttention& attention);

/// What is shown first, one per word: the mean of the heads' maps, or the first of named maps.
std::vector<Tensor> main_maps(const PictureAttention& attention);

}  // namespace glass
