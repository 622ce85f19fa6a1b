#pragma once

#include <string>
#include <vector>

#include "models/report/attention_map.h"

namespace glass {

struct HeatMapStyle {
  /// A file of its own (name space, white ground, colours in the picture), or a part of a web page
  /// that has heat_map_css() and so follows the page's light and dark.
  bool standalone = true;
  double max_width = 0;  ///< of a grid: then fewer maps stand in a row; 0: as wide as it gets
};

/// A heat map as SVG: source on top (rotated when long), target at the left, rows and columns in
/// the order of the data, a colour bar, and each weight as the title of its cell, which browsers
/// show under the pointer. The same bytes in every locale. NaN and infinities are crossed out.
/// Throws Error when the sizes of the map do not fit together.
std::string heat_map_svg(const AttentionMap& map, const HeatMapStyle& style = {});

/// Many maps in one picture, row by row, on one colour scale: heads of a layer, steps of training,
/// kinds of attention. A row has at most so many columns. Throws
/// Error without a map or a column too.
std::string heat_map_grid_svg(const std::vector<AttentionMap>& maps, size_t columns,
                              const HeatMapStyle& style = {});

/// The style sheet of heat maps that are part of a page.
std::string heat_map_css();

}  // namespace glass
