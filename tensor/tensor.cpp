#include "tensor/tensor.h"

#include <algorithm>
#include <limits>

#include "tensor/ops.h"

namespace glass {

static bool is_dense(const Shape& shape, const Strides& strides) {
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

Tensor::Tensor(StorageRef storage, int64_t offset, const Shape& shape, const Strides& strides,
               DType dtype)
    : storage_(std::move(storage)),
      offset_(offset),
      numel_(glass::numel(shape)),
      dtype_(dtype),
      contiguous_(numel_ == 0 || is_dense(shape, strides)),
      shape_(shape),
      strides_(strides) {}

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  Tensor out;
  out.shape_ = shape;
  out.dtype_ = dtype;
  // Strides and the count in one pass from the back; a zero must not hide an overflow before it.
  int64_t count = 1;
  bool zero = false, wrong = false;
  Strides strides = shape;
  for (int i = shape.size() - 1; i >= 0; --i) {
    const int64_t n = shape[i];
    strides[i] = count;
    zero |= n == 0;
    wrong |= n < 0 || __builtin_mul_overflow(count, n > 0 ? n : 1, &count);
  }
  int64_t bytes;
  if (wrong || __builtin_mul_overflow(count, static_cast<int64_t>(size_of(dtype)), &bytes)) {
    static_cast<void>(glass::numel(shape, "empty"));  // says what is wrong with the shape
    fail("empty", "shape has more bytes than can be counted", shape);
  }
  out.strides_ = strides;
  out.numel_ = zero ? 0 : count;
  out.storage_ = StorageRef(Storage::make(zero ? 0 : static_cast<size_t>(bytes)));
  return out;
}

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor out = empty(shape, dtype);
  fill_contiguous(out, value);
  return out;
}
Tensor Tensor::zeros(const Shape& shape, DType dtype) { return full(shape, 0, dtype); }
Tensor Tensor::ones(const Shape& shape, DType dtype) { return full(shape, 1, dtype); }
Tensor Tensor::scalar(double value, DType dtype) { return full({}, value, dtype); }

Tensor Tensor::arange(int64_t start, int64_t end, int64_t step, DType dtype) {
  if (step == 0) fail("arange", "step is zero", "start ", start, ", end ", end);
  // Unsigned, because the span of two int64 need not fit one.
  const auto first = static_cast<uint64_t>(start), last = static_cast<uint64_t>(end);
  const auto stride = static_cast<uint64_t>(step);
  const bool up = step > 0;
  const uint64_t span = up ? last - first : first - last;
  const uint64_t count =
      (up ? start < end : start > end) ? (span - 1) / (up ? stride : -stride) + 1 : 0;
  if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    fail("arange", "has more elements than can be counted", "start ", start, ", end ", end);
  Tensor out = empty({static_cast<int64_t>(count)}, dtype);
  visit(dtype, [&]<class T>(T) {
    for (uint64_t i = 0; i < count; ++i)
      out.data<T>()[i] = static_cast<T>(static_cast<int64_t>(first + i * stride));
  });
  return out;
}

Tensor Tensor::eye(int64_t n, DType dtype) {
  Tensor out = zeros({n, n}, dtype);
  visit(dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) out.data<T>()[i * n + i] = T(1);
  });
  return out;
}

double Tensor::item() const {
  if (!defined() || numel_ != 1)
    fail("item", "needs exactly one element", "shape ", shape_, " has ", numel_);
  return visit(dtype_, [&]<class T>(T) { return static_cast<double>(*data<T>()); });
}

double Tensor::at(std::initializer_list<int64_t> index) const {
  if (static_cast<int>(index.size()) != ndim())
    fail("at", "needs one index per dimension", index.size(), " for shape ", shape_);
  int64_t position = 0;
  int dim = 0;
  for (int64_t i : index) {
    if (i < 0 || i >= shape_[dim])
      fail("at", "index out of range", i, " on axis ", dim, " of ", shape_);
    position += i * strides_[dim++];
  }
  return visit(dtype_, [&]<class T>(T) { return static_cast<double>(data<T>()[position]); });
}

Tensor Tensor::contiguous() const { return contiguous_ ? *this : clone(); }

Tensor Tensor::clone() const {
  Tensor out = empty(shape_, dtype_);
  copy_elements(*this, out);
  return out;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor out = empty(shape_, dtype);
  copy_elements(*this, out);
  return out;
}

const Tensor& Tensor::copy_(const Tensor& source) const {
  copy_elements(source.shape() == shape_ ? source : source.expand(shape_), *this);
  bump_version();
  return *this;
}

const Tensor& Tensor::fill_(double value) const {
  if (contiguous_)
    fill_contiguous(*this, value);
  else
    copy_elements(full({}, value, dtype_).expand(shape_), *this);
  bump_version();
  return *this;
}

}  // namespace glass

template class std::vector<glass::Tensor>;
