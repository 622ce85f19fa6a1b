#pragma once

#include <string_view>

#include "models/image/image.h"
#include "models/report/color_scale.h"

namespace glass {

/// Letters on pictures: ASCII in 5 × 9 dots (two of them below the line), six from one letter to
/// the next; any other letter as its code point in a box of two letters' width, as browsers show
/// letters that no font has. scale: pixels of a dot.
inline constexpr int64_t kLetterStep = 6, kLineHeight = 11;  // dots

/// Pixels from the first to the last.
int64_t text_width(std::string_view text, int64_t scale);
/// Writes the text with its upper left corner at (y, x); what sticks out is cut off.
void draw_text(Image& image, int64_t y, int64_t x, std::string_view text, int64_t scale, Rgb color);

}  // namespace glass
