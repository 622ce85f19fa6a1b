#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace glass {

inline constexpr int64_t kEnd = INT64_MAX;  ///< slice(dim, a, kEnd): up to the last element

/// An n-dimensional array: a cheap handle on shared storage. Copying a Tensor copies the handle;
/// clone() copies the numbers. Views (reshape, permute, slice, expand, ...) share storage, so a
/// change in place through one handle shows in all of them. 0-d and zero-size tensors are ordinary.
/// A handle belongs to one thread.
class Tensor {
 public:
  Tensor() = default;  ///< undefined: defined() is false

  static Tensor empty(const Shape& shape, DType dtype = kFloat32);  ///< values unset
  static Tensor zeros(const Shape& shape, DType dtype = kFloat32);
  static Tensor ones(const Shape& shape, DType dtype = kFloat32);
  static Tensor full(const Shape& shape, double value, DType dtype = kFloat32);
  static Tensor scalar(double value, DType dtype = kFloat32);  ///< 0-d
  /// start, start + step, ... below end.
  static Tensor arange(int64_t start, int64_t end, int64_t step = 1, DType dtype = kInt64);
  static Tensor eye(int64_t n, DType dtype = kFloat32);
  /// Row-major values; throws Error when their number is not the shape's.
  template <class T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  template <class T>
  static Tensor from(const std::vector<T>& values, const Shape& shape) {
    return from(std::span<const T>(values), shape);
  }
  template <class T>
  static Tensor from(std::initializer_list<T> values, const Shape& shape) {
    return from(std::span<const T>(values.begin(), values.size()), shape);
  }
  template <class T>
  static Tensor from(std::initializer_list<T> values) {
    return from(values, Shape{static_cast<int64_t>(values.size())});
  }
  /// A handle on storage with any layout; for kernels and views. Strides in elements.
  Tensor(StorageRef storage, int64_t offset, const Shape& shape, const Strides& strides,
         DType dtype);

  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  int ndim() const { return shape_.size(); }
  int64_t size(int64_t dim) const {
    if (ndim() == 0) fail("size", "a 0-d tensor has no dimensions", "dim ", dim);
    return shape_[normalize_dim("size", dim, ndim())];
  }
  int64_t numel() const { return numel_; }
  DType dtype() const { return dtype_; }
  Device device() const { return storage_->device(); }
  bool is_contiguous() const { return contiguous_; }
  uint32_t version() const { return storage_->version(); }
  void bump_version() const { storage_->bump_version(); }
  bool shares_storage(const Tensor& other) const { return storage_.get() == other.storage_.get(); }

  /// Pointer to the first element; throws Error when T is not the tensor's type.
  template <class T>
  T* data() const {
    check_same_dtype("data", dtype_of<T>(), dtype_);
    return static_cast<T*>(raw());
  }
  void* raw() const {
    return storage_ ? storage_.get()->data() + offset_ * size_of(dtype_) : nullptr;
  }
  int64_t offset() const { return offset_; }
  const StorageRef& storage() const { return storage_; }
  void reset() { storage_ = StorageRef(); }  ///< gives up the storage: undefined from now on

  /// The only element as a number; throws Error unless numel() is 1.
  double item() const;
  /// The element at the given index, one number per dimension.
  double at(std::initializer_list<int64_t> index) const;
  /// All elements in row-major order.
  template <class T>
  std::vector<T> to_vector() const;

  Tensor contiguous() const;  ///< itself when dense row-major, else a dense copy
  Tensor clone() const;       ///< a dense copy
  Tensor to(DType dtype) const;

  // Views. Negative dims count from the end.
  Tensor reshape(const Shape& shape) const;  ///< one size may be -1; copies when no view can do it
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor permute(const Dims& dims) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor slice(int64_t dim, int64_t start, int64_t end = kEnd, int64_t step = 1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor select(int64_t dim, int64_t index) const;  ///< drops dim
  Tensor expand(const Shape& shape) const;          ///< -1 keeps a size
  Tensor unsqueeze(int64_t dim) const;
  Tensor squeeze(int64_t dim) const;  ///< drops dim when its size is 1

  // Changes in place; each bumps the storage's version.
  const Tensor& copy_(const Tensor& source) const;  ///< broadcasts source, converts its type
  const Tensor& fill_(double value) const;
  const Tensor& zero_() const { return fill_(0); }
  const Tensor& add_(const Tensor& other, double alpha = 1) const;  ///< this += alpha * other
  const Tensor& mul_(double factor) const;

 private:
  StorageRef storage_;
  int64_t offset_ = 0;  // in elements
  int64_t numel_ = 0;
  DType dtype_ = kFloat32;
  bool contiguous_ = true;
  Shape shape_;
  Strides strides_;
};

/// As NumPy prints: nested brackets, aligned columns, long axes shortened, the type when not
/// float32.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

template <class T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  const Tensor out = empty(shape, dtype_of<T>());
  if (static_cast<int64_t>(values.size()) != out.numel())
    fail("from", "number of values is not the shape's", values.size(), " values for ", shape);
  std::copy(values.begin(), values.end(), out.data<T>());
  return out;
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  const Tensor dense = contiguous();
  return std::vector<T>(dense.data<T>(), dense.data<T>() + numel_);
}

}  // namespace glass

extern template class std::vector<glass::Tensor>;  // in tensor.cpp
