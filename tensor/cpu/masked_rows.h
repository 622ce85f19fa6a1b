#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensor/cpu/loops.h"

// Softmax rows among what is allowed: null means everything is. Masks are read as bytes, and
// functions are computed for all elements before any is chosen: a choice of bools, or one that a
// call could be moved into, is not vectorised.
namespace glass::cpu {

inline const uint8_t* bytes_of(const bool* mask) { return reinterpret_cast<const uint8_t*>(mask); }

// The largest x that is allowed, or -infinity; NaN is passed over.
template <class T, bool masked>
GLASS_CLONES T top_where(const T* x, const bool* allowed, int64_t n) {
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  const uint8_t* may = bytes_of(allowed);
  T top = kNone;
#pragma omp simd reduction(max : top)
  for (int64_t i = 0; i < n; ++i) {
    const T v = masked && may[i] == 0 ? kNone : x[i];
    top = v > top ? v : top;
  }
  return top;
}

// exp(x - shift) where allowed, else 0; returns the sum.
template <class T, bool masked>
GLASS_CLONES T exp_where(const T* x, const bool* allowed, T* y, int64_t n, T shift) {
  const uint8_t* may = bytes_of(allowed);
  T total = 0;
  if (!masked) {
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < n; ++i) total += y[i] = exp(x[i] - shift);
    return total;
  }
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = exp(x[i] - shift);
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) {
    const T e = may[i] == 0 ? T(0) : y[i];
    y[i] = e;
    total += e;
  }
  return total;
}

template <class T>
GLASS_CLONES void scale(T* x, T factor, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

/// weights = exp(score - top)·factor
template <class T>
struct RowScale {
  T top, factor;
};

/// y = softmax over what is allowed, else 0; all 0 when nothing is or all that is has score
/// -infinity. y may be x.
template <class T>
RowScale<T> masked_softmax_row(const T* x, const bool* allowed, T* y, int64_t n) {
  T top = allowed ? top_where<T, true>(x, allowed, n) : top_where<T, false>(x, allowed, n);
  if (top == -std::numeric_limits<T>::infinity()) top = 0;
  const T total = allowed ? exp_where<T, true>(x, allowed, y, n, top)
                          : exp_where<T, false>(x, allowed, y, n, top);
  const T factor = total == 0 ? T(0) : T(1) / total;
  scale(y, factor, n);
  return {top, factor};
}

}  // namespace glass::cpu
