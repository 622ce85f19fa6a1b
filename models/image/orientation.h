#pragma once

#include <span>

#include "models/image/image.h"

namespace glass {

/// The orientation in EXIF data (with or without the mark "Exif" in front): 1 … 8, and 1 where
/// there is none or it cannot be read.
int exif_orientation(std::span<const std::byte> exif);

/// The picture as it is to be seen: 1 as stored, 2 mirrored, 3 turned by 180°, 4 upside down,
/// 5 mirrored along its diagonal, 6 turned right by 90°, 7 mirrored along the other diagonal,
/// 8 turned left by 90°.
Image turned(const Image& image, int orientation);

}  // namespace glass
