#include <algorithm>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

constexpr int64_t kColumns = 512;  // columns that one thread carries along the axis

// Calls f(first element, columns) on strips of [outer, length, inner] that span the whole axis.
template <class F>
void for_strips(Axis3 axis, const F& f) {
  const int64_t strips = ceil_div(axis.inner, kColumns);
  const int64_t work = axis.length * std::min(axis.inner, kColumns);
  parallel_for(axis.outer * strips, std::max<int64_t>(1, 16384 / std::max<int64_t>(work, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t part = begin; part < end; ++part) {
                   const int64_t column = part % strips * kColumns;
                   f(part / strips * axis.length * axis.inner + column,
                     std::min(kColumns, axis.inner - column));
                 }
               });
}

template <class T>
GLASS_CLONES void add_rows(const T* a, const T* b, T* out, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

template <class T>
GLASS_CLONES void multiply_rows(const T* a, const T* b, T* out, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

// rest = dy + next · rest; dx = dx · rest
template <class T>
GLASS_CLONES void product_slope(const T* dy, const T* next, T* rest, T* dx, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    rest[i] = dy[i] + next[i] * rest[i];
    dx[i] *= rest[i];
  }
}

}  // namespace

void scan(Scan kind, const Tensor& x, Axis3 axis, bool reverse, const Tensor& out) {
  visit_number("scan", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    const int64_t step = reverse ? -axis.inner : axis.inner;
    for_strips(axis, [&](int64_t first, int64_t n) {
      int64_t at = reverse ? first + (axis.length - 1) * axis.inner : first;
      std::copy_n(from + at, n, to + at);
      for (int64_t k = 1; k < axis.length; ++k, at += step) {
        const T *before = to + at, *now = from + at + step;
        if (kind == Scan::sum)
          add_rows(before, now, to + at + step, n);
        else
          multiply_rows(before, now, to + at + step, n);
      }
    });
  });
}

// dx_i = (product of x before i) · r_i with r_i = dy_i + x_{i+1} · r_{i+1}: no division, so zeros
// are harmless.
void cumprod_backward(const Tensor& dy, const Tensor& x, Axis3 axis, const Tensor& dx) {
  visit_floating("cumprod", x.dtype(), [&]<class T>(T) {
    const T *up = dy.data<T>(), *value = x.data<T>();
    T* to = dx.data<T>();
    for_strips(axis, [&](int64_t first, int64_t n) {
      std::fill_n(to + first, n, T(1));
      for (int64_t k = 1; k < axis.length; ++k) {
        const int64_t at = first + k * axis.inner;
        multiply_rows(to + at - axis.inner, value + at - axis.inner, to + at, n);
      }
      T rest[kColumns], zeros[kColumns];
      std::fill_n(rest, n, T(0));
      std::fill_n(zeros, n, T(0));
      for (int64_t k = axis.length - 1; k >= 0; --k) {
        const int64_t at = first + k * axis.inner;
        const T* next = k + 1 < axis.length ? value + at + axis.inner : zeros;
        product_slope(up + at, next, rest, to + at, n);
      }
    });
  });
}

}  // namespace glass::cpu
