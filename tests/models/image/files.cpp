#include "tests/models/image/files.h"

#include <zlib.h>

#include <jpeglib.h>
#include <cstdio>

namespace glass::tests {
namespace {

std::string big_endian(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

std::string deflated(const std::string& raw) {
  uLongf size = compressBound(raw.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  out.resize(size);
  return out;
}

std::string png(uint32_t width, uint32_t height, int depth, int color_type, int interlace,
                const std::string& raw, const std::string& more) {
  std::string header = big_endian(width) + big_endian(height);
  header +=
      {static_cast<char>(depth), static_cast<char>(color_type), 0, 0, static_cast<char>(interlace)};
  return std::string("\x89PNG\r\n\x1a\n") + png_chunk("IHDR", header) + more +
         png_chunk("IDAT", deflated(raw)) + png_chunk("IEND", "");
}

}  // namespace

std::string png_chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<uint32_t>(data.size())) + body +
         big_endian(static_cast<uint32_t>(sum));
}

std::string png_file(uint32_t width, uint32_t height, int depth, int color_type,
                     const std::vector<std::string>& rows, const std::string& more) {
  std::string raw;
  for (const std::string& row : rows) raw += '\0' + row;  // filter 0: none
  return png(width, height, depth, color_type, 0, raw, more);
}

std::string interlaced_png(const std::vector<std::vector<uint8_t>>& grey) {
  constexpr size_t kFirstRow[] = {0, 0, 4, 0, 2, 0, 1}, kRowStep[] = {8, 8, 8, 4, 4, 2, 2};
  constexpr size_t kFirst[] = {0, 4, 0, 2, 0, 1, 0}, kStep[] = {8, 8, 4, 4, 2, 2, 1};
  std::string raw;
  for (int pass = 0; pass < 7; ++pass)
    for (size_t y = kFirstRow[pass]; y < grey.size(); y += kRowStep[pass]) {
      if (kFirst[pass] >= grey[y].size()) continue;
      raw += '\0';
      for (size_t x = kFirst[pass]; x < grey[y].size(); x += kStep[pass])
        raw += static_cast<char>(grey[y][x]);
    }
  return png(static_cast<uint32_t>(grey[0].size()), static_cast<uint32_t>(grey.size()), 8, 0, 1,
             raw, "");
}

std::string exif_data(int orientation, bool little) {
  const auto number = [&](uint32_t value, int size) {
    std::string out;
    for (int i = 0; i < size; ++i)
      out += static_cast<char>(value >> 8 * (little ? i : size - 1 - i));
    return out;
  };
  const auto entry = [&](uint32_t tag, uint32_t value) {
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  return (little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) + entry(0x0100, 7) +
         entry(0x0112, static_cast<uint32_t>(orientation)) + number(0, 4);
}

std::string jpeg_file(int64_t width, int64_t height, int channels, const std::vector<uint8_t>& data,
                      int orientation, bool progressive) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  for (int c = 0; c < channels; ++c)
    info.comp_info[c].h_samp_factor = info.comp_info[c].v_samp_factor = 1;
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (orientation > 0) {
    const std::string exif = std::string("Exif\0\0", 6) + exif_data(orientation, true);
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                      static_cast<unsigned>(exif.size()));
  }
  for (int64_t y = 0; y < height; ++y) {
    auto* row = const_cast<uint8_t*>(data.data() + y * width * channels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string out(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return out;
}

Image decoded(const std::string& bytes) {
  return decode_image(std::as_bytes(std::span(bytes)), "test.png");
}

std::vector<int> reds(const Image& image) {
  std::vector<int> out;
  for (size_t i = 0; i < image.rgb.size(); i += 3) out.push_back(image.rgb[i]);
  return out;
}

}  // namespace glass::tests
