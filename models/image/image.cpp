#include "models/image/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/image/formats.h"
#include "models/image/orientation.h"
#include "tensor/file.h"

namespace glass {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

}  // namespace

Image::Image(int64_t h, int64_t w, uint8_t value) : height(h), width(w) {
  if (h < 1 || w < 1 || h > kMostPixels / w)
    fail("Image", text("a picture has 1 … ", kMostPixels, " pixels"), "got ", h, " × ", w);
  rgb.assign(static_cast<size_t>(h * w * 3), value);
}

Image decode_image(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) fail_environment("image", "the file is empty", name);
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) {
    const Decoded png = decode_png(bytes, name);
    return turned(png.image, png.orientation);
  }
  if (starts_with(bytes, "\xff\xd8\xff")) {
    const Decoded jpeg = decode_jpeg(bytes, name);
    return turned(jpeg.image, jpeg.orientation);
  }
  fail_environment("image", "the file is neither PNG nor JPEG", name);
}

Image read_image(const std::string& path) {
  const std::string bytes = read_file(path);
  return decode_image(std::as_bytes(std::span(bytes)), path);
}

Tensor to_tensor(const Image& image) {
  return image_batch({&image}, {{0, 0, 0}, {1, 1, 1}}).select(0, 0);
}

Image to_image(const Tensor& x) {
  if (x.ndim() != 3 || x.size(0) != 3 || !is_floating(x.dtype()))
    fail("to_image", "needs floating [3, H, W]", "got ", x.shape(), " ", x.dtype());
  Image image(x.size(1), x.size(2), 0);
  const Tensor flat = x.to(kFloat64).contiguous();
  const double* from = flat.data<double>();
  const int64_t plane = image.height * image.width;
  for (int64_t i = 0; i < plane; ++i)
    for (int64_t c = 0; c < 3; ++c) {
      const double value = from[c * plane + i];
      const double in_range = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
      image.rgb[static_cast<size_t>(3 * i + c)] = static_cast<uint8_t>(std::lround(255 * in_range));
    }
  return image;
}

Tensor image_batch(const std::vector<const Image*>& images, const PixelScale& by) {
  if (images.empty()) fail("image_batch", "there are no pictures");
  const int64_t H = images[0]->height, W = images[0]->width;
  const Tensor out = Tensor::empty({static_cast<int64_t>(images.size()), 3, H, W});
  float* to = out.data<float>();
  for (const Image* image : images) {
    if (image->height != H || image->width != W)
      fail("image_batch", "the pictures of a batch have one size", H, " × ", W, " and ",
           image->height, " × ", image->width);
    for (int64_t c = 0; c < 3; ++c) {
      const double scale = 1 / (255 * by.std[c]), shift = -by.mean[c] / by.std[c];
      for (int64_t i = 0; i < H * W; ++i)
        *to++ = static_cast<float>(image->rgb[static_cast<size_t>(3 * i + c)] * scale + shift);
    }
  }
  return out;
}

}  // namespace glass
