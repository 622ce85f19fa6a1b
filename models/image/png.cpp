#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "models/image/formats.h"
#include "models/image/orientation.h"
#include "tensor/file.h"

namespace glass {
namespace {

constexpr int64_t kMostDeflated = 1032;  // bytes that one byte of deflate can stand for

struct Input {
  std::span<const std::byte> left;
  char message[160] = "";
};

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
  auto* input = static_cast<Input*>(png_get_error_ptr(png));
  std::snprintf(input->message, sizeof input->message, "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void read_png_bytes(png_structp png, png_bytep to, size_t count) {
  auto* input = static_cast<Input*>(png_get_io_ptr(png));
  if (count > input->left.size()) png_error(png, "the file ends too early");
  std::memcpy(to, input->left.data(), count);
  input->left = input->left.subspan(count);
}

// Chunks that change no pixel: what they say is not read, only their check sums are.
constexpr char kIgnored[] =
    "bKGD\0cHRM\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0"
    "zTXt";

// libpng leaves its functions with longjmp: steps has no local objects that need a destructor.
class PngReader {
 public:
  PngReader(std::span<const std::byte> bytes, const std::string& name)
      : name_(name), input_{bytes} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, on_png_error, on_warning);
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) fail_environment("image", "libpng cannot start", name_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  template <class Steps>
  void run(const Steps& steps) {
    if (setjmp(png_jmpbuf(png_)) != 0)
      fail_environment("image", "the PNG file is damaged", name_, ": ", input_.message);
    steps(png_, info_);
  }
  Input& input() { return input_; }

 private:
  const std::string& name_;
  Input input_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

// On white.
uint8_t blended(uint8_t value, uint8_t alpha) {
  return static_cast<uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

}  // namespace

Decoded decode_png(std::span<const std::byte> bytes, const std::string& name) {
  PngReader reader(bytes, name);
  int64_t height = 0, width = 0, raw = 0;
  png_bytep exif = nullptr;
  png_uint_32 exif_size = 0;
  reader.run([&](png_structp png, png_infop info) {
    png_set_read_fn(png, &reader.input(), read_png_bytes);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(png, 0);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER,
                                reinterpret_cast<png_const_bytep>(kIgnored),
                                static_cast<int>(sizeof kIgnored / 5));
    png_read_info(png, info);
    height = png_get_image_height(png, info);
    width = png_get_image_width(png, info);
    raw = static_cast<int64_t>(png_get_rowbytes(png, info));
    png_get_eXIf_1(png, info, &exif_size, &exif);
  });
  if (height > Image::kMostPixels / width || raw > kMostDeflated * std::ssize(bytes) / height)
    fail_environment("image", "the size is absurd for this file", name, ": ", height, " × ", width,
                     " pixels in ", bytes.size(), " bytes");
  Decoded y{Image(height, width, 0), exif_orientation(std::as_bytes(std::span(exif, exif_size)))};
  std::vector<uint8_t> rgba(static_cast<size_t>(height * width * 4));
  std::vector<png_bytep> rows;
  for (int64_t row = 0; row < height; ++row) rows.push_back(rgba.data() + row * width * 4);
  reader.run([&](png_structp png, png_infop info) {
    png_set_expand(png);  // palettes, fewer than 8 bits, tRNS
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
  });
  for (int64_t i = 0; i < height * width; ++i)
    for (int64_t c = 0; c < 3; ++c)
      y.image.rgb[static_cast<size_t>(3 * i + c)] =
          blended(rgba[static_cast<size_t>(4 * i + c)], rgba[static_cast<size_t>(4 * i + 3)]);
  return y;
}

std::string encode_png(const Image& image) {
  if (image.empty()) fail("encode_png", "there is no picture");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    fail_environment("encode_png", "libpng fails", header.message);
  bytes.resize(size);
  return bytes;
}

void write_png(const std::string& path, const Image& image) {
  write_file_atomically(path, encode_png(image));
}

}  // namespace glass
