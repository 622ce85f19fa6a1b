#include "models/image/resize.h"

#include <algorithm>
#include <cmath>

namespace glass {
namespace {

// A new pixel is Σ weights[k]·old[first + k] along an axis.
struct Taps {
  int64_t first;
  std::vector<double> weights;
};

std::vector<Taps> taps_of(int64_t in, int64_t out, Resample how) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  std::vector<Taps> all;
  for (int64_t i = 0; i < out; ++i) {
    if (how == Resample::bilinear) {
      const double place = std::max(0.0, (static_cast<double>(i) + 0.5) * scale - 0.5);
      const int64_t first = std::min(static_cast<int64_t>(place), in - 1);
      const double part = first + 1 < in ? place - static_cast<double>(first) : 0;
      all.push_back({first, {1 - part}});
      if (part > 0) all.back().weights.push_back(part);
      continue;
    }
    const double from = static_cast<double>(i) * scale, to = static_cast<double>(i + 1) * scale;
    const int64_t first = std::min(static_cast<int64_t>(from), in - 1);
    Taps taps{first, {}};
    for (int64_t k = first; k < in && static_cast<double>(k) < to; ++k)
      taps.weights.push_back(
          (std::min(to, static_cast<double>(k + 1)) - std::max(from, static_cast<double>(k))) /
          scale);
    all.push_back(std::move(taps));
  }
  return all;
}

// x [A, L, B] -> [A, out, B].
Tensor along(const Tensor& x, const std::vector<Taps>& taps) {
  const int64_t A = x.size(0), L = x.size(1), B = x.size(2);
  const int64_t out = std::ssize(taps);
  const Tensor y = Tensor::zeros({A, out, B}, kFloat64);
  for (int64_t a = 0; a < A; ++a)
    for (int64_t i = 0; i < out; ++i) {
      const Taps& t = taps[static_cast<size_t>(i)];
      double* to = y.data<double>() + (a * out + i) * B;
      for (size_t k = 0; k < t.weights.size(); ++k) {
        const double* from = x.data<double>() + (a * L + t.first + static_cast<int64_t>(k)) * B;
        for (int64_t b = 0; b < B; ++b) to[b] += t.weights[k] * from[b];
      }
    }
  return y;
}

}  // namespace

Tensor resize(const Tensor& x, int64_t height, int64_t width, Resample how) {
  if (x.ndim() < 2 || !is_floating(x.dtype()) || x.size(-1) < 1 || x.size(-2) < 1)
    fail("resize", "needs floating [..., H, W]", "got ", x.shape(), " ", x.dtype());
  if (height < 1 || width < 1)
    fail("resize", "sizes must be positive", "got ", height, " × ", width);
  const int64_t H = x.size(-2), W = x.size(-1), N = x.numel() / (H * W);
  Tensor y = x.to(kFloat64).contiguous().reshape({N * H, W, 1});
  y = along(y, taps_of(W, width, how)).reshape({N, H, width});
  y = along(y, taps_of(H, height, how));
  Shape shape = x.shape();
  shape[x.ndim() - 2] = height;
  shape[x.ndim() - 1] = width;
  return y.reshape(shape).to(x.dtype());
}

Image resize(const Image& image, int64_t height, int64_t width, Resample how) {
  if (image.height == height && image.width == width) return image;
  return to_image(resize(to_tensor(image), height, width, how));
}

Image fitted(const Image& image, int64_t side) {
  const int64_t longer = std::max(image.height, image.width);
  const auto scaled = [&](int64_t size) {
    return std::max<int64_t>(1, (size * side + longer / 2) / longer);
  };
  const Image part = resize(image, scaled(image.height), scaled(image.width),
                            longer > side ? Resample::area : Resample::bilinear);
  if (part.height == side && part.width == side) return part;
  Image y(side, side, 255);
  const int64_t top = (side - part.height) / 2, left = (side - part.width) / 2;
  for (int64_t row = 0; row < part.height; ++row)
    std::copy_n(part.at(row, 0), 3 * part.width, y.at(top + row, left));
  return y;
}

}  // namespace glass
