#include <algorithm>
#include <cstring>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {

void fill(const Tensor& out, double value) {
  visit(out.dtype(), [&]<class T>(T) {
    T* data = static_cast<T*>(out.raw());
    const T v = static_cast<T>(value);
    if (out.numel() < 65536) {
      std::fill_n(data, out.numel(), v);
      return;
    }
    parallel_for(out.numel(), 65536,
                 [&](int64_t begin, int64_t end) { std::fill(data + begin, data + end, v); });
  });
}

// NaN and what does not fit int64 become its smallest number.
template <class To>
struct Convert {
  template <class From>
  GLASS_FN To operator()(From x) const {
    if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>)
      return x >= From(-0x1p63) && x < From(0x1p63) ? static_cast<To>(x) : INT64_MIN;
    else
      return static_cast<To>(x);
  }
};

// Blocks of a transposed matrix that fit the cache, so that neither side is read line by line in
// vain: source[i * row_stride + j] -> target[j * target_stride + i].
template <class T>
static bool copy_transposed(const Tensor& source, const Tensor& target) {
  const int n = source.ndim();
  if (n < 2 || source.dtype() != target.dtype()) return false;
  const int64_t rows = source.shape()[n - 2], columns = source.shape()[n - 1];
  if (rows < 8 || columns < 8) return false;
  if (source.strides()[n - 2] != 1 || target.strides()[n - 1] != 1) return false;
  constexpr int64_t kBlock = 32;
  const int64_t matrices = source.numel() / (rows * columns);
  const int64_t strips = ceil_div(rows, kBlock);
  parallel_for(
      matrices * strips, std::max<int64_t>(1, 16384 / (kBlock * columns)),
      [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          const T* from = static_cast<const T*>(source.raw());
          T* to = static_cast<T*>(target.raw());
          int64_t rest = part / strips;
          for (int axis = n - 3; axis >= 0; --axis) {
            const int64_t i = rest % source.shape()[axis];
            rest /= source.shape()[axis];
            from += i * source.strides()[axis];
            to += i * target.strides()[axis];
          }
          const int64_t first = part % strips * kBlock, last = std::min(rows, first + kBlock);
          for (int64_t c = 0; c < columns; c += kBlock)
            for (int64_t i = first; i < last; ++i)
              for (int64_t j = c; j < std::min(columns, c + kBlock); ++j)
                to[i * target.strides()[n - 2] + j] = from[i + j * source.strides()[n - 1]];
        }
      });
  return true;
}

void copy(const Tensor& source, const Tensor& target) {
  if (source.dtype() == target.dtype() && source.is_contiguous() && target.is_contiguous()) {
    const size_t bytes = static_cast<size_t>(source.numel()) * size_of(source.dtype());
    if (bytes < (1 << 18)) {
      if (bytes > 0) std::memmove(target.raw(), source.raw(), bytes);
      return;
    }
    parallel_for(static_cast<int64_t>(bytes), 1 << 17, [&](int64_t begin, int64_t end) {
      std::memmove(static_cast<char*>(target.raw()) + begin,
                   static_cast<const char*>(source.raw()) + begin,
                   static_cast<size_t>(end - begin));
    });
    return;
  }
  if (visit(source.dtype(), [&]<class T>(T) { return copy_transposed<T>(source, target); })) return;
  visit(target.dtype(), [&]<class To>(To) {
    const RowFn row_fn = visit(
        source.dtype(), []<class From>(From) -> RowFn { return cpu::row<Convert<To>, To, From>; });
    const Convert<To> f;
    run_rows(target, {&source}, row_fn, &f);
  });
}

}  // namespace glass::cpu
