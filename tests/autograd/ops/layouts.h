#pragma once

#include <limits>

#include "tensor/tensor.h"

// The same numbers laid out otherwise in memory. Gaps hold what must not be read: NaN, an index far
// out of range, true.
namespace glass::tests {

inline Tensor gap(const Shape& shape, DType dtype) {
  if (is_floating(dtype))
    return Tensor::full(shape, std::numeric_limits<double>::quiet_NaN(), dtype);
  return Tensor::full(shape, dtype == kBool ? 1 : 1e12, dtype);
}

/// Every second element along the last axis of a wider tensor, behind an offset.
inline Tensor strided(const Tensor& x) {
  const int last = x.ndim() - 1;
  Shape wide = x.ndim() == 0 ? Shape{1} : x.shape();
  wide[std::max(last, 0)] = 2 * wide[std::max(last, 0)] + 3;
  const Tensor around = gap(wide, x.dtype());
  const Tensor view = around.slice(-1, 2, 2 + 2 * (x.ndim() == 0 ? 1 : x.size(-1)), 2);
  const Tensor y = x.ndim() == 0 ? view.select(0, 0) : view;
  y.copy_(x);
  return {y.storage(), y.offset(), y.shape(), y.strides(), y.dtype()};
}

/// Axes in reverse order in memory, with a gap behind each run.
inline Tensor transposed(const Tensor& x) {
  Dims reversed;
  Shape shape;
  for (int i = x.ndim() - 1; i >= 0; --i) {
    reversed.push_back(i);
    shape.push_back(x.shape()[i]);
  }
  if (x.ndim() == 0) return strided(x);
  shape[x.ndim() - 1] += 1;
  const Tensor around = gap(shape, x.dtype());
  const Tensor view = around.narrow(-1, 0, x.shape()[0]).permute(reversed);
  view.copy_(x);
  return view;
}

}  // namespace glass::tests
