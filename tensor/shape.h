#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string_view>

namespace glass {

inline constexpr int kMaxDims = 8;

/// A short list of integers that lives inline: a shape, strides (in elements), or axes.
/// At most kMaxDims entries; more throw Error.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values)
      : Dims(std::span<const int64_t>(values.begin(), values.size())) {}
  explicit Dims(std::span<const int64_t> values);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t& operator[](int i) { return values_[i]; }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + size_; }
  int64_t* begin() { return values_; }
  int64_t* end() { return values_ + size_; }
  int64_t back() const { return values_[size_ - 1]; }

  void push_back(int64_t value);
  void insert(int position, int64_t value);
  void erase(int position);

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i)
      if (a.values_[i] != b.values_[i]) return false;
    return true;
  }

 private:
  int64_t values_[kMaxDims] = {};
  int size_ = 0;
};

using Shape = Dims;
using Strides = Dims;

std::ostream& operator<<(std::ostream& out, const Dims& dims);  ///< [2, 3]

/// ⌈a/b⌉, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/// Number of elements. Throws Error when a size is negative or the product does not fit.
int64_t numel(const Shape& shape, std::string_view op = "shape");

/// Strides of a dense row-major layout.
Strides contiguous_strides(const Shape& shape);

/// The common shape under NumPy's broadcasting rule; throws Error showing both shapes.
Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b);

/// Axis -ndim..ndim-1 as 0..ndim-1; throws Error naming the axis and the range.
int normalize_dim(std::string_view op, int64_t dim, int ndim);

/// Axes made non-negative, each at most once; none given means all of them. Ascending order.
Dims normalize_dims(std::string_view op, const Dims& dims, int ndim);

}  // namespace glass
