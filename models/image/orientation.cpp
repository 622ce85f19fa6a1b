#include "models/image/orientation.h"

#include <algorithm>
#include <cstring>

namespace glass {
namespace {

constexpr uint32_t kOrientation = 0x0112;  // the tag
constexpr uint32_t kShort = 3;             // the type of its value

// Numbers of a TIFF file in its byte order; 0 behind its end.
struct Tiff {
  std::span<const std::byte> bytes;
  bool little = false;

  uint32_t number(size_t at, size_t size) const {
    uint32_t value = 0;
    for (size_t i = 0; i < size && at + size <= bytes.size(); ++i)
      value = value << 8 | std::to_integer<uint32_t>(bytes[at + (little ? size - 1 - i : i)]);
    return value;
  }
};

bool begins(std::span<const std::byte> bytes, const char* mark, size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), mark, size) == 0;
}

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  if (begins(exif, "Exif\0\0", 6)) exif = exif.subspan(6);
  const bool little = begins(exif, "II*\0", 4);
  if (!little && !begins(exif, "MM\0*", 4)) return 1;
  const Tiff tiff{exif, little};
  const size_t directory = tiff.number(4, 4);
  const uint32_t entries = tiff.number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t at = directory + 2 + 12 * size_t{i};
    if (at + 12 > exif.size()) break;
    if (tiff.number(at, 2) != kOrientation || tiff.number(at + 2, 2) != kShort) continue;
    const uint32_t value = tiff.number(at + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image turned(const Image& image, int orientation) {
  if (orientation < 1 || orientation > 8)
    fail("turned", "an orientation is 1 … 8", "got ", orientation);
  if (orientation == 1) return image;
  const int64_t H = image.height, W = image.width;
  const bool swaps = orientation >= 5;
  Image y(swaps ? W : H, swaps ? H : W, 0);
  for (int64_t row = 0; row < y.height; ++row)
    for (int64_t column = 0; column < y.width; ++column) {
      const bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
      const bool from_bottom =
          orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
      const int64_t v = swaps ? column : row, u = swaps ? row : column;
      std::copy_n(image.at(from_bottom ? H - 1 - v : v, from_right ? W - 1 - u : u), 3,
                  y.at(row, column));
    }
  return y;
}

}  // namespace glass
