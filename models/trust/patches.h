#pragma once

#include <string>
#include <vector>

#include "autograd/autograd.h"

namespace glass {

/// A picture as what stands at each cell of a map that covers it: row r of h has the pixels y with
/// ⌊y·h/H⌋ = r. A cell's numbers are its pixels, channel by channel, and zeros where other cells
/// have more.
class Patches {
 public:
  /// Pictures of [3, height, width], maps of [rows, columns]. Throws Error where a cell would have
  /// no pixel.
  Patches(int64_t height, int64_t width, int64_t rows, int64_t columns);

  Tensor cut(const Tensor& picture) const;  ///< [1, 3, H, W] -> [1, rows·columns, E]
  Var joined(const Var& patches) const;     ///< [N, rows·columns, E] -> [N, 3, H, W]
  /// [E]: a cell in the mean colour of the picture.
  Tensor mean_color(const Tensor& picture) const;

 private:
  int64_t height_, width_, cells_, size_;  // size_: numbers of a channel of a cell
  Tensor places_;                          // [3·H·W]: of each pixel in the cut picture
};

/// "row 1, column 3", as people count.
std::string cell_name(int64_t cell, int64_t columns);
/// Of all cells, row by row.
std::vector<std::string> cell_names(int64_t cells, int64_t columns);

}  // namespace glass
