#pragma once

#include <limits>

#include "tensor/cpu/loops.h"

// The loops over a row's exponentials that softmax and cross-entropy share.
namespace glass::cpu {

/// The largest number; -inf where there is none. NaN is not seen.
template <class T>
GLASS_CLONES T row_max(const T* x, int64_t n) {
  T best = -std::numeric_limits<T>::infinity();
#pragma omp simd reduction(max : best)
  for (int64_t i = 0; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

/// y = exp(x - shift); returns its sum.
template <class T>
GLASS_CLONES T row_exp(const T* x, T* y, int64_t n, T shift) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) {
    const T e = exp(x[i] - shift);
    y[i] = e;
    total += e;
  }
  return total;
}

/// Σ exp(x - shift)
template <class T>
GLASS_CLONES T row_exp_sum(const T* x, int64_t n, T shift) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += exp(x[i] - shift);
  return total;
}

}  // namespace glass::cpu
