#pragma once

#include <cstdint>

namespace glass::cpu {

/// A matrix in memory: dense rows, lead elements apart; turned: read as its transpose.
template <class T>
struct Matrix {
  const T* data;
  int64_t lead;
  bool turned = false;
};

/// c = a·b + beta·c on the calling thread: a [m, k], b [k, n], c [m, n] with rows lead apart. For
/// kernels that split their work themselves. Sizes must fit BLAS (int).
template <class T>
void multiply_here(Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t lead, int64_t m, int64_t n,
                   int64_t k);

}  // namespace glass::cpu
