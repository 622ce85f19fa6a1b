#include <algorithm>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

// Windows of keys: slot w of query t of batch row n is key start[n, t] + w. Only the slots that are
// keys are visited.
namespace glass::cpu {
namespace {

// The slots [low, high) of a window that lie on keys 0 … keys-1, for any start.
struct Slots {
  int64_t low, high;
};
Slots slots_on_keys(int64_t start, int64_t window, int64_t keys) {
  if (start >= keys || start <= -window) return {0, 0};
  return {std::max<int64_t>(0, -start), std::min(window, keys - start)};
}

// Element [n, s, 0] of a tensor with dense rows.
template <class T>
const T* row_of(const Tensor& x, int64_t n, int64_t s) {
  return x.data<T>() + n * x.strides()[0] + s * x.strides()[1];
}

// Asks for the next four rows while four are worked on: each may lie on a page of its own, where
// the processor does not look ahead.
template <class T>
inline void ask_for(const T* rows, int64_t step, int64_t count, int64_t n) {
  for (int64_t w = 0; w < std::min<int64_t>(count, 4); ++w)
    for (int64_t i = 0; i < n; i += 64 / static_cast<int64_t>(sizeof(T)))
      __builtin_prefetch(rows + w * step + i);
}

// out[w] = q·k_w, rows of k step apart. Four rows share what is read of q and add up side by side.
template <class T>
GLASS_CLONES void dots(const T* q, const T* k, int64_t step, int64_t rows, int64_t n, T* out) {
  int64_t w = 0;
  for (; w + 4 <= rows; w += 4) {
    const T *k0 = k + w * step, *k1 = k0 + step, *k2 = k1 + step, *k3 = k2 + step;
    ask_for(k3 + step, step, rows - w - 4, n);
    T y0 = 0, y1 = 0, y2 = 0, y3 = 0;
#pragma omp simd reduction(+ : y0, y1, y2, y3)
    for (int64_t i = 0; i < n; ++i) {
      y0 += q[i] * k0[i];
      y1 += q[i] * k1[i];
      y2 += q[i] * k2[i];
      y3 += q[i] * k3[i];
    }
    out[w] = y0;
    out[w + 1] = y1;
    out[w + 2] = y2;
    out[w + 3] = y3;
  }
  for (; w < rows; ++w) {
    const T* k0 = k + w * step;
    T y = 0;
#pragma omp simd reduction(+ : y)
    for (int64_t i = 0; i < n; ++i) y += q[i] * k0[i];
    out[w] = y;
  }
}

// y = Σ_w weights[w]·x_w, rows of x step apart; four rows at a time, so that y is seldom touched.
template <class T>
GLASS_CLONES void weighted_sum(const T* weights, const T* x, int64_t step, int64_t rows, int64_t n,
                               T* y) {
  std::fill_n(y, n, T(0));
  int64_t w = 0;
  for (; w + 4 <= rows; w += 4) {
    const T *x0 = x + w * step, *x1 = x0 + step, *x2 = x1 + step, *x3 = x2 + step;
    ask_for(x3 + step, step, rows - w - 4, n);
    const T w0 = weights[w], w1 = weights[w + 1], w2 = weights[w + 2], w3 = weights[w + 3];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] += w0 * x0[i] + w1 * x1[i] + w2 * x2[i] + w3 * x3[i];
  }
  for (; w < rows; ++w) {
    const T *x0 = x + w * step, w0 = weights[w];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] += w0 * x0[i];
  }
}

// k_w += weights[w]·q for dense rows k.
template <class T>
GLASS_CLONES void add_outer(const T* weights, const T* q, int64_t rows, int64_t n, T* k) {
  for (int64_t w = 0; w < rows; ++w) {
    const T factor = weights[w];
    T* y = k + w * n;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] += factor * q[i];
  }
}

template <class T>
GLASS_CLONES void add_to(const T* x, int64_t n, T* y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

// f(n, row, start) for every query, row = n·T + t; work: multiplications of one query.
template <class F>
void for_queries(const Tensor& start, int64_t work, const F& f) {
  const int64_t queries = start.shape()[1];
  const int64_t* starts = start.data<int64_t>();
  parallel_for(start.numel(), 1 + (1 << 17) / (work + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) f(row / queries, row, starts[row]);
  });
}

// The same where windows of one batch row may meet: each batch row is one thread's.
template <class F>
void for_batches(const Tensor& start, int64_t work, const F& f) {
  const int64_t queries = start.shape()[1];
  const int64_t* starts = start.data<int64_t>();
  parallel_for(start.shape()[0], 1 + (1 << 17) / (work * queries + 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t row = begin * queries; row < end * queries; ++row)
                   f(row / queries, row, starts[row]);
               });
}

}  // namespace

void window_scores(const Tensor& query, const Tensor& keys, const Tensor& start,
                   const Tensor& scores) {
  const int64_t S = keys.shape()[1], A = keys.shape()[2], W = scores.shape()[2];
  visit_floating("window_scores", keys.dtype(), [&]<class T>(T) {
    const T* q = query.data<T>();
    T* out = scores.data<T>();
    for_queries(start, W * A, [&](int64_t n, int64_t row, int64_t first) {
      const Slots on = slots_on_keys(first, W, S);
      T* y = out + row * W;
      std::fill_n(y, on.low, T(0));
      if (on.low < on.high)
        dots(q + row * A, row_of<T>(keys, n, first + on.low), keys.strides()[1], on.high - on.low,
             A, y + on.low);
      std::fill_n(y + on.high, W - on.high, T(0));
    });
  });
}

void window_sum(const Tensor& weights, const Tensor& values, const Tensor& start,
                const Tensor& sums) {
  const int64_t S = values.shape()[1], K = values.shape()[2], W = weights.shape()[2];
  visit_floating("window_sum", values.dtype(), [&]<class T>(T) {
    const T* w = weights.data<T>();
    T* out = sums.data<T>();
    for_queries(start, W * K, [&](int64_t n, int64_t row, int64_t first) {
      const Slots on = slots_on_keys(first, W, S);
      const T* x = on.low < on.high ? row_of<T>(values, n, first + on.low) : nullptr;
      weighted_sum(w + row * W + on.low, x, values.strides()[1], on.high - on.low, K,
                   out + row * K);
    });
  });
}

void window_outer(const Tensor& weights, const Tensor& query, const Tensor& start,
                  const Tensor& keys) {
  const int64_t S = keys.shape()[1], A = keys.shape()[2], W = weights.shape()[2];
  visit_floating("window_outer", keys.dtype(), [&]<class T>(T) {
    const T *w = weights.data<T>(), *q = query.data<T>();
    T* out = keys.data<T>();
    for_batches(start, W * A, [&](int64_t n, int64_t row, int64_t first) {
      const Slots on = slots_on_keys(first, W, S);
      if (on.low < on.high)
        add_outer(w + row * W + on.low, q + row * A, on.high - on.low, A,
                  out + (n * S + first + on.low) * A);
    });
  });
}

void window_gather(const Tensor& keys, const Tensor& start, const Tensor& windows) {
  const int64_t S = keys.shape()[1], A = keys.shape()[2], W = windows.shape()[2];
  visit_floating("window_gather", keys.dtype(), [&]<class T>(T) {
    T* out = windows.data<T>();
    for_queries(start, W * A, [&](int64_t n, int64_t row, int64_t first) {
      const Slots on = slots_on_keys(first, W, S);
      T* y = out + row * W * A;
      std::fill_n(y, on.low * A, T(0));
      for (int64_t w = on.low; w < on.high; ++w)
        std::copy_n(row_of<T>(keys, n, first + w), A, y + w * A);
      std::fill_n(y + on.high * A, (W - on.high) * A, T(0));
    });
  });
}

void window_scatter(const Tensor& windows, const Tensor& start, const Tensor& keys) {
  const int64_t S = keys.shape()[1], A = keys.shape()[2], W = windows.shape()[2];
  visit_floating("window_scatter", keys.dtype(), [&]<class T>(T) {
    const T* x = windows.data<T>();
    T* out = keys.data<T>();
    for_batches(start, W * A, [&](int64_t n, int64_t row, int64_t first) {
      const Slots on = slots_on_keys(first, W, S);
      if (on.low < on.high)
        add_to(x + (row * W + on.low) * A, (on.high - on.low) * A,
               out + (n * S + first + on.low) * A);
    });
  });
}

}  // namespace glass::cpu
