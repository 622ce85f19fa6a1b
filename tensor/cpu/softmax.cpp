#include <algorithm>

#include "tensor/cpu/exp_rows.h"
#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

template <class T>
GLASS_CLONES void row_scale(T* y, int64_t n, T factor) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] *= factor;
}

// In this order: the sum of both, which may be large, would round the digits of the second away.
template <class T>
GLASS_CLONES void row_shift(const T* x, T* y, int64_t n, T first, T second) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - first) - second;
}

template <class T>
GLASS_CLONES T row_dot(const T* a, const T* b, int64_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += a[i] * b[i];
  return total;
}

template <class T>
GLASS_CLONES T row_sum(const T* a, int64_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += a[i];
  return total;
}

template <class T>
GLASS_CLONES void softmax_slope(const T* dy, const T* y, T* dx, int64_t n, T dot) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = y[i] * (dy[i] - dot);
}

template <class T>
GLASS_CLONES void log_softmax_slope(const T* dy, const T* y, T* dx, int64_t n, T total) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] - exp(y[i]) * total;
}

// log(sum(exp(x))): the largest element is taken out; when it is infinite it is the answer, unless
// there is a NaN, which row_max does not see.
template <class T>
T row_logsumexp(const T* x, int64_t n) {
  const T top = row_max(x, n);
  if (std::isinf(top)) {
    for (int64_t i = 0; i < n; ++i)
      if (std::isnan(x[i])) return x[i];
    return top;
  }
  return top + log(row_exp_sum(x, n, top));
}

template <class F>
void for_rows(const Tensor& x, const F& f) {
  const int64_t length = x.shape()[1];
  parallel_for(x.shape()[0], std::max<int64_t>(1, 8192 / std::max<int64_t>(length, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) f(i * length, length);
               });
}

}  // namespace

void rows(RowFunction kind, const Tensor& x, const Tensor& out) {
  visit_floating("softmax", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    for_rows(x, [&](int64_t at, int64_t n) {
      const T top = row_max(from + at, n);
      if (kind == RowFunction::softmax) {
        const T total = row_exp(from + at, to + at, n, top);
        row_scale(to + at, n, T(1) / total);
      } else {
        row_shift(from + at, to + at, n, top, log(row_exp_sum(from + at, n, top)));
      }
    });
  });
}

void rows_backward(RowFunction kind, const Tensor& dy, const Tensor& y, const Tensor& dx) {
  visit_floating("softmax", dy.dtype(), [&]<class T>(T) {
    const T *up = dy.data<T>(), *value = y.data<T>();
    T* to = dx.data<T>();
    for_rows(dy, [&](int64_t at, int64_t n) {
      if (kind == RowFunction::softmax)
        softmax_slope(up + at, value + at, to + at, n, row_dot(up + at, value + at, n));
      else
        log_softmax_slope(up + at, value + at, to + at, n, row_sum(up + at, n));
    });
  });
}

void logsumexp(const Tensor& x, const Tensor& out) {
  visit_floating("logsumexp", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    for_rows(x, [&](int64_t at, int64_t n) { to[at / n] = row_logsumexp(from + at, n); });
  });
}

}  // namespace glass::cpu
