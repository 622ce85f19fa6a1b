// The views of Tensor: new shapes and strides on the same storage.
#include <algorithm>
#include <utility>

#include "tensor/tensor.h"

namespace glass {

static void check_defined(const char* op, const Tensor& x) {
  if (!x.defined()) fail(op, "the tensor is undefined");
}

// Replaces a single -1 by the size that makes the counts agree.
static Shape complete_shape(const Tensor& x, Shape shape) {
  int unknown = -1;
  int64_t known = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (unknown >= 0) fail("reshape", "only one size may be -1", shape);
      unknown = i;
    } else {
      if (shape[i] < -1) fail("reshape", "negative size", shape);
      if (__builtin_mul_overflow(known, shape[i], &known))
        fail("reshape", "shape has more elements than can be counted", shape);
    }
  }
  if (unknown >= 0) {
    if (known == 0) fail("reshape", "-1 is ambiguous beside a size of 0", x.shape(), " to ", shape);
    shape[unknown] = x.numel() / known;
  }
  if (numel(shape, "reshape") != x.numel())
    fail("reshape", "number of elements differs", x.shape(), " to ", shape);
  return shape;
}

// Strides of the new shape over the old layout, when a view can express them: axes are matched in
// groups of equal product, and each old group must itself be dense.
static std::optional<Strides> view_strides(const Tensor& x, const Shape& shape) {
  if (x.is_contiguous()) return contiguous_strides(shape);
  Strides strides = shape;
  int old_axis = x.ndim() - 1, axis = shape.size() - 1;
  while (old_axis >= 0 || axis >= 0) {
    int64_t old_count = old_axis >= 0 ? x.shape()[old_axis] : 1;
    int64_t count = axis >= 0 ? shape[axis] : 1;
    const int first_axis = axis;
    int64_t base = old_axis >= 0 ? x.strides()[old_axis] : 1;
    while (old_count != count) {
      if (old_count < count) {
        if (--old_axis < 0) return std::nullopt;
        if (old_count == 1) {
          base = x.strides()[old_axis];
        } else if (x.shape()[old_axis] != 1 && x.strides()[old_axis] != base * old_count) {
          return std::nullopt;
        }
        old_count *= x.shape()[old_axis];
      } else {
        if (--axis < 0) return std::nullopt;
        count *= shape[axis];
      }
    }
    for (int i = first_axis; i >= std::max(axis, 0); --i) {
      strides[i] = base;
      base *= shape[i];
    }
    --old_axis;
    --axis;
  }
  return strides;
}

Tensor Tensor::reshape(const Shape& wanted) const {
  check_defined("reshape", *this);
  const Shape shape = complete_shape(*this, wanted);
  if (numel_ == 0) return empty(shape, dtype_);
  if (auto strides = view_strides(*this, shape))
    return {storage_, offset_, shape, *strides, dtype_};
  return clone().reshape(shape);
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  if (ndim() == 0) return reshape({1});
  const int start = normalize_dim("flatten", start_dim, ndim());
  const int end = normalize_dim("flatten", end_dim, ndim());
  if (start > end) fail("flatten", "start_dim comes after end_dim", start_dim, " and ", end_dim);
  Shape shape;
  int64_t merged = 1;
  for (int i = 0; i < ndim(); ++i) {
    if (i < start || i > end) {
      shape.push_back(shape_[i]);
    } else {
      merged *= shape_[i];
      if (i == end) shape.push_back(merged);
    }
  }
  return reshape(shape);
}

Tensor Tensor::permute(const Dims& dims) const {
  check_defined("permute", *this);
  if (dims.size() != ndim()) fail("permute", "needs every dim once", dims, " for ", shape_);
  if (ndim() > 0) normalize_dims("permute", dims, ndim());
  Shape shape;
  Strides strides;
  for (int64_t d : dims) {
    const int dim = normalize_dim("permute", d, ndim());
    shape.push_back(shape_[dim]);
    strides.push_back(strides_[dim]);
  }
  return {storage_, offset_, shape, strides, dtype_};
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  const int a = normalize_dim("transpose", dim0, ndim());
  const int b = normalize_dim("transpose", dim1, ndim());
  if (ndim() == 0) return *this;
  Shape shape = shape_;
  Strides strides = strides_;
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return {storage_, offset_, shape, strides, dtype_};
}

Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  check_defined("slice", *this);
  if (ndim() == 0) fail("slice", "needs at least one dimension", "got a 0-d tensor");
  const int d = normalize_dim("slice", dim, ndim());
  if (step <= 0) fail("slice", "step must be positive", step);
  const int64_t n = shape_[d];
  if (start < 0) start += n;
  if (end < 0) end += n;
  start = std::clamp<int64_t>(start, 0, n);
  end = std::clamp<int64_t>(end, start, n);
  Shape shape = shape_;
  Strides strides = strides_;
  shape[d] = (end - start) / step + ((end - start) % step != 0);
  if (shape[d] > 1) strides[d] *= step;
  return {storage_, offset_ + (shape[d] > 0 ? start * strides_[d] : 0), shape, strides, dtype_};
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  const int64_t n = size(dim);
  if (start < 0) start += n;
  if (start < 0 || length < 0 || start > n - length)
    fail("narrow", "range out of bounds", "start ", start, ", length ", length, " on a size of ",
         n);
  return slice(dim, start, start + length);
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  check_defined("select", *this);
  if (ndim() == 0) fail("select", "needs at least one dimension", "got a 0-d tensor");
  const int d = normalize_dim("select", dim, ndim());
  const int64_t n = shape_[d];
  if (index < -n || index >= n)
    fail("select", "index out of range", index, ", should be in [", -n, ", ", n - 1, "]");
  Shape shape = shape_;
  Strides strides = strides_;
  shape.erase(d);
  strides.erase(d);
  return {storage_, offset_ + (index < 0 ? index + n : index) * strides_[d], shape, strides,
          dtype_};
}

Tensor Tensor::expand(const Shape& wanted) const {
  check_defined("expand", *this);
  Shape shape = wanted;
  Strides strides = wanted;
  const int shift = shape.size() - ndim();
  if (shift < 0) fail("expand", "fewer dimensions than the tensor", shape_, " to ", wanted);
  for (int i = 0; i < shape.size(); ++i) {
    const int64_t own = i < shift ? 1 : shape_[i - shift];
    if (shape[i] == -1 && i >= shift) shape[i] = own;
    if (own != shape[i] && own != 1)
      fail("expand", "a size other than 1 cannot grow", shape_, " to ", wanted);
    strides[i] = own == 1 && (shape[i] != 1 || i < shift) ? 0 : strides_[i - shift];
  }
  return {storage_, offset_, shape, strides, dtype_};
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  const int d = normalize_dim("unsqueeze", dim, ndim() + 1);
  Shape shape = shape_;
  Strides strides = strides_;
  strides.insert(d, d < ndim() ? shape_[d] * strides_[d] : 1);
  shape.insert(d, 1);
  return {storage_, offset_, shape, strides, dtype_};
}

Tensor Tensor::squeeze(int64_t dim) const {
  const int d = normalize_dim("squeeze", dim, ndim());
  if (ndim() == 0 || shape_[d] != 1) return *this;
  Shape shape = shape_;
  Strides strides = strides_;
  shape.erase(d);
  strides.erase(d);
  return {storage_, offset_, shape, strides, dtype_};
}

}  // namespace glass
