#include "models/trust/patches.h"

#include "tensor/ops.h"

namespace glass {

Patches::Patches(int64_t height, int64_t width, int64_t rows, int64_t columns)
    : height_(height), width_(width), cells_(rows * columns) {
  if (rows < 1 || columns < 1 || rows > height || columns > width)
    fail("patches", "each cell needs a pixel", rows, " × ", columns, " cells of ", height, " × ",
         width, " pixels");
  const int64_t tall = ceil_div(height, rows), wide = ceil_div(width, columns);
  size_ = tall * wide;
  places_ = Tensor::empty({3 * height * width}, kInt64);
  int64_t* to = places_.data<int64_t>();
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const int64_t row = y * rows / height, column = x * columns / width;
        const int64_t top = ceil_div(row * height, rows), left = ceil_div(column * width, columns);
        *to++ = (row * columns + column) * 3 * size_ + c * size_ + (y - top) * wide + (x - left);
      }
}

Tensor Patches::cut(const Tensor& picture) const {
  const Tensor from = picture.to(kFloat64).contiguous();
  const Tensor y = Tensor::zeros({1, cells_, 3 * size_}, kFloat64);
  for (int64_t i = 0; i < places_.numel(); ++i)
    y.data<double>()[places_.data<int64_t>()[i]] = from.data<double>()[i];
  return y.to(picture.dtype());
}

Var Patches::joined(const Var& patches) const {
  const int64_t n = patches.size(0);
  return reshape(index_select(reshape(patches, {n, -1}), 1, Var(places_)), {n, 3, height_, width_});
}

Tensor Patches::mean_color(const Tensor& picture) const {
  return mean(Var(picture), {0, 2, 3})
      .value()
      .reshape({3, 1})
      .expand({3, size_})
      .contiguous()
      .reshape({3 * size_});
}

std::string cell_name(int64_t cell, int64_t columns) {
  return text("row ", cell / columns + 1, ", column ", cell % columns + 1);
}

std::vector<std::string> cell_names(int64_t cells, int64_t columns) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < cells; ++i) names.push_back(cell_name(i, columns));
  return names;
}

}  // namespace glass
