#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// A picture of at most kMostPixels: 8 bits each of red, green and blue, row by row from the top.
struct Image {
  static constexpr int64_t kMostPixels = int64_t{1} << 26;

  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;  ///< [height, width, 3]

  Image() = default;
  /// Every byte the same: 255 is white. Throws Error unless both sizes are positive and there are
  /// not too many pixels.
  Image(int64_t height, int64_t width, uint8_t value);

  bool empty() const { return rgb.empty(); }
  uint8_t* at(int64_t y, int64_t x) { return rgb.data() + (y * width + x) * 3; }
  const uint8_t* at(int64_t y, int64_t x) const { return rgb.data() + (y * width + x) * 3; }
  bool operator==(const Image&) const = default;
};

/// The picture in the bytes of a PNG or JPEG file, known by how they begin; name is what an error
/// calls the file. Grey becomes three equal channels, 16 bits are rounded to 8, transparency is
/// laid on white, and the picture is turned as its EXIF orientation says. A file that is damaged,
/// cut, of another kind or absurdly large is an Error (environment): never half a picture.
Image decode_image(std::span<const std::byte> bytes, const std::string& name);
/// decode_image of a file.
Image read_image(const std::string& path);

/// [3, H, W] float32 in 0 … 1, and back: clamped and rounded.
Tensor to_tensor(const Image& image);
/// Throws Error unless x is [3, H, W] of a floating type.
Image to_image(const Tensor& x);

/// What a network is given: (x - mean) / std of x in 0 … 1, by channel.
struct PixelScale {
  double mean[3] = {0.5, 0.5, 0.5}, std[3] = {0.5, 0.5, 0.5};
};
/// Pictures of one size as [B, 3, H, W] float32. Throws Error when they differ or there is none.
Tensor image_batch(const std::vector<const Image*>& images, const PixelScale& by = {});

}  // namespace glass
