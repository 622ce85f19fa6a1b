// clang-format off
#include <cstdio>  // jpeglib.h needs FILE and size_t
#include <jpeglib.h>
// clang-format on

#include <csetjmp>

#include "models/image/formats.h"
#include "models/image/orientation.h"

namespace glass {
namespace {

constexpr unsigned kMostMarker = 0xffff;

struct Errors {
  jpeg_error_mgr manager;  // the first member: libjpeg knows this one only
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_jpeg_error(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->jump, 1);
}

// Levels below 0 are warnings of damage; after one the picture is patched up with grey.
void on_message(j_common_ptr info, int level) {
  if (level < 0) on_jpeg_error(info);
}

// libjpeg leaves its functions with longjmp: steps has no local objects that need a destructor.
class JpegReader {
 public:
  explicit JpegReader(const std::string& name) : name_(name) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = on_jpeg_error;
    errors_.manager.emit_message = on_message;
    run([](jpeg_decompress_struct& info) { jpeg_create_decompress(&info); });
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  template <class Steps>
  void run(const Steps& steps) {
    if (setjmp(errors_.jump) != 0)
      fail_environment("image", "the JPEG file is damaged", name_, ": ", errors_.message);
    steps(info_);
  }
  const jpeg_decompress_struct& info() const { return info_; }

 private:
  const std::string& name_;
  Errors errors_{};
  jpeg_decompress_struct info_{};
};

// Four inks: Adobe stores how much light each lets through.
uint8_t printed(int ink, int black, bool inverted) {
  const int light = inverted ? ink * black : (255 - ink) * (255 - black);
  return static_cast<uint8_t>((light + 127) / 255);
}

}  // namespace

Decoded decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
  JpegReader reader(name);
  reader.run([&](jpeg_decompress_struct& info) {
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_save_markers(&info, JPEG_APP0 + 1, kMostMarker);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  });
  const int64_t height = reader.info().image_height, width = reader.info().image_width;
  if (height < 1 || width < 1 || height > Image::kMostPixels / width)
    fail_environment("image", "the size is absurd", name, ": ", height, " × ", width, " pixels");
  Decoded y{Image(height, width, 0), 1};
  for (auto* marker = reader.info().marker_list; marker; marker = marker->next) {
    const auto data = std::as_bytes(std::span(marker->data, marker->data_length));
    if (y.orientation == 1) y.orientation = exif_orientation(data);
  }
  const bool inks = reader.info().num_components == 4;
  std::vector<uint8_t> line(static_cast<size_t>(width * 4));
  reader.run([&](jpeg_decompress_struct& info) {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      const int64_t row = info.output_scanline;
      JSAMPROW to = inks ? line.data() : y.image.at(row, 0);
      jpeg_read_scanlines(&info, &to, 1);
      for (int64_t x = 0; inks && x < width; ++x)
        for (int64_t c = 0; c < 3; ++c)
          y.image.at(row, x)[c] =
              printed(line[static_cast<size_t>(4 * x + c)], line[static_cast<size_t>(4 * x + 3)],
                      info.saw_Adobe_marker != FALSE);
    }
    jpeg_finish_decompress(&info);
  });
  return y;
}

}  // namespace glass
