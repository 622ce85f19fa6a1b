#pragma once

#include <string>

#include "models/report/overlay.h"

namespace glass {

/// The picture as the address of an <img>: a PNG file in base64.
std::string data_uri(const Image& image);

/// The picture and its words as a <figure> for a page that has picture_css(): a word under the
/// pointer (or with the focus) shows its overlay in the picture's place, and those of the heads
/// beside it. Throws Error as check_sizes().
std::string picture_figure(const PictureAttention& attention);
extern const char* const kPictureCss;

}  // namespace glass
