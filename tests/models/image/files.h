#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/image/image.h"

namespace glass::tests {

/// A PNG file written by hand: depth and color_type as in its header, rows as they are packed.
/// more: chunks before the pixels, of png_chunk().
std::string png_file(uint32_t width, uint32_t height, int depth, int color_type,
                     const std::vector<std::string>& rows, const std::string& more = "");
/// The same with the rows of its seven passes (RFC 2083, Adam7), 8-bit grey.
std::string interlaced_png(const std::vector<std::vector<uint8_t>>& grey);
std::string png_chunk(const std::string& kind, const std::string& data);

/// A JPEG file of best quality with 1, 3 or 4 channels, and its EXIF orientation; 0: none.
std::string jpeg_file(int64_t width, int64_t height, int channels, const std::vector<uint8_t>& data,
                      int orientation = 0, bool progressive = false);
/// EXIF data with that orientation and another entry before it.
std::string exif_data(int orientation, bool little);

Image decoded(const std::string& bytes);
/// The first channel, row by row.
std::vector<int> reds(const Image& image);

}  // namespace glass::tests
