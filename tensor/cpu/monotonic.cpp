#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

// q_j = (1 - p_{j-1})·q_{j-1} + previous_j;  y_j = p_j·q_j. Either of q and y may be absent.
template <class T>
void attend_row(const T* p, const T* previous, int64_t n, T* q_out, T* y) {
  T q = 0;
  for (int64_t j = 0; j < n; ++j) {
    q = (j > 0 ? (1 - p[j - 1]) * q : T(0)) + previous[j];
    if (q_out) q_out[j] = q;
    if (y) y[j] = p[j] * q;
  }
}

// In: q in dp, and in carry what reaches this row's y from the row after it. Out: dp, and in carry
// dq, which is what reaches the row before.
template <class T>
void attend_row_backward(const T* p, const T* dy, int64_t n, T* carry, T* dp) {
  T next = 0;  // dq_{j+1}
  for (int64_t j = n - 1; j >= 0; --j) {
    const T up = dy[j] + carry[j];
    dp[j] *= up - next;
    next = p[j] * up + (1 - p[j]) * next;
    carry[j] = next;
  }
}

}  // namespace

void monotonic_attention(const Tensor& p, const Tensor& previous, const Tensor& weights) {
  const int64_t rows = p.shape()[1], n = p.shape()[2];
  visit_floating("monotonic_attention", p.dtype(), [&]<class T>(T) {
    const T *from = p.data<T>(), *first = previous.data<T>();
    T* out = weights.data<T>();
    parallel_for(p.shape()[0], 1 + 4096 / (rows * n + 1), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * rows; row < end * rows; ++row)
        attend_row<T>(from + row * n, row % rows ? out + (row - 1) * n : first + row / rows * n, n,
                      nullptr, out + row * n);
    });
  });
}

void monotonic_attention_backward(const Tensor& dy, const Tensor& p, const Tensor& previous,
                                  const Tensor& weights, const Tensor& dp,
                                  const Tensor& d_previous) {
  const int64_t rows = p.shape()[1], n = p.shape()[2];
  visit_floating("monotonic_attention", p.dtype(), [&]<class T>(T) {
    const T *from = p.data<T>(), *first = previous.data<T>(), *y = weights.data<T>();
    const T* up = dy.data<T>();
    T *to = dp.data<T>(), *carry = d_previous.data<T>();
    parallel_for(p.shape()[0], 1 + 4096 / (rows * n + 1), [&](int64_t begin, int64_t end) {
      for (int64_t row = end * rows - 1; row >= begin * rows; --row) {
        T* sums = carry + row / rows * n;
        attend_row<T>(from + row * n, row % rows ? y + (row - 1) * n : first + row / rows * n, n,
                      to + row * n, nullptr);
        attend_row_backward(from + row * n, up + row * n, n, sums, to + row * n);
      }
    });
  });
}

}  // namespace glass::cpu
