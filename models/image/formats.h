#pragma once

#include <span>
#include <string>

#include "models/image/image.h"

namespace glass {

/// A picture as it is stored, and how it must be turned (orientation.h).
struct Decoded {
  Image image;
  int orientation = 1;
};

/// Every colour type and depth, plain and interlaced. Throws Error (environment) that calls the
/// file `name` when anything in it is damaged; nothing larger than the file can hold is allocated.
Decoded decode_png(std::span<const std::byte> bytes, const std::string& name);
/// Grey, colour and four-ink pictures, sequential and progressive. Throws as decode_png: what
/// libjpeg only warns of is damage too.
Decoded decode_jpeg(std::span<const std::byte> bytes, const std::string& name);

/// The bytes of a PNG file.
std::string encode_png(const Image& image);
/// Writes it in one step (write_file_atomically).
void write_png(const std::string& path, const Image& image);

}  // namespace glass
