#include "tensor/shape.h"

#include <algorithm>
#include <ostream>

#include "tensor/error.h"

namespace glass {

static void check_size(size_t size) {
  if (size > kMaxDims) fail("shape", "too many dimensions", size, ", at most ", kMaxDims);
}

Dims::Dims(std::span<const int64_t> values) : size_(static_cast<int>(values.size())) {
  check_size(values.size());
  std::copy(values.begin(), values.end(), values_);
}

void Dims::push_back(int64_t value) { insert(size_, value); }

void Dims::insert(int position, int64_t value) {
  check_size(static_cast<size_t>(size_) + 1);
  std::copy_backward(values_ + position, values_ + size_, values_ + size_ + 1);
  values_[position] = value;
  ++size_;
}

void Dims::erase(int position) {
  std::copy(values_ + position + 1, values_ + size_, values_ + position);
  --size_;
}

std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '[';
  for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out << ']';
}

int64_t numel(const Shape& shape, std::string_view op) {
  int64_t count = 1;
  bool empty = false, overflow = false;
  for (int64_t n : shape) {
    if (n < 0) fail(op, "negative size in shape", shape);
    if (n == 0)
      empty = true;
    else
      overflow |= __builtin_mul_overflow(count, n, &count);
  }
  // A zero does not excuse sizes whose product wraps: strides are computed from them.
  if (overflow) fail(op, "shape has more elements than can be counted", shape);
  return empty ? 0 : count;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides = shape;
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const int shift = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const int64_t x = longer[shift + i], y = shorter[i];
    if (x != y && x != 1 && y != 1)
      fail(op, "shapes do not broadcast", a, " and ", b, " (axis ", i - shorter.size(), ": ",
           &longer == &a ? x : y, " and ", &longer == &a ? y : x, ")");
    out[shift + i] = x == 1 ? y : x;
  }
  return out;
}

int normalize_dim(std::string_view op, int64_t dim, int ndim) {
  const int64_t range = std::max(ndim, 1);  // a 0-d tensor accepts 0 and -1, as in PyTorch
  if (dim < -range || dim >= range)
    fail(op, "dim out of range", dim, ", should be in [", -range, ", ", range - 1, "]");
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

Dims normalize_dims(std::string_view op, const Dims& dims, int ndim) {
  Dims out;
  if (dims.empty()) {
    for (int i = 0; i < ndim; ++i) out.push_back(i);
    return out;
  }
  for (int64_t d : dims) {
    const int dim = normalize_dim(op, d, ndim);
    if (std::find(out.begin(), out.end(), dim) != out.end())
      fail(op, "dim given twice", d, " in ", dims);
    if (ndim > 0) out.push_back(dim);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace glass
