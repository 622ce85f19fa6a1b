#include <algorithm>
#include <atomic>
#include <cstring>

#include "tensor/cpu/gemm.h"
#include "tensor/cpu/kernels.h"
#include "tensor/cpu/masked_rows.h"
#include "tensor/ops.h"
#include "tensor/parallel.h"

// Blocks of query rows, whose weights are all that is ever held of the [T, S] matrix.
namespace glass::cpu {
namespace {

constexpr int64_t kMostHeld = 1 << 22;  // elements of all buffers, beside one row's needs
constexpr int64_t kTile = 256;          // keys

// What a query may see; keys null: all or none.
struct MaskRow {
  const bool* keys;
  bool none;
};
MaskRow mask_row(const Tensor& allowed, int64_t n, int64_t t) {
  if (!allowed.defined()) return {nullptr, false};
  const Strides& step = allowed.strides();
  const bool* row = allowed.data<bool>() + n * step[0] + t * step[1];
  return step[2] == 0 ? MaskRow{nullptr, !*row} : MaskRow{row, false};
}

// One past the last of keys begin … end - 1 that any of rows t … t + m - 1 may see, or begin: what
// lies behind costs nothing (half of a causal mask).
int64_t end_of_seen(const Tensor& allowed, int64_t n, int64_t t, int64_t m, int64_t begin,
                    int64_t end) {
  int64_t last = begin;
  for (int64_t i = 0; i < m && last < end; ++i) {
    const MaskRow may = mask_row(allowed, n, t + i);
    if (may.none) continue;
    if (!may.keys) return end;
    const void* found = memrchr(may.keys + last, true, static_cast<size_t>(end - last));
    if (found) last = static_cast<const bool*>(found) - may.keys + 1;
  }
  return last;
}

// y = exp(x - top)·factor and d = y·(d - dot), where allowed, else 0. x becomes y.
template <class T, bool masked>
GLASS_CLONES void softmax_again(T* x, const bool* allowed, RowScale<T> scale, T* d, T dot,
                                int64_t n) {
  const T top = scale.top, factor = scale.factor;
  const uint8_t* may = bytes_of(allowed);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) x[i] = exp(x[i] - top) * factor;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T y = x[i], slope = y * (d[i] - dot);
    x[i] = masked && may[i] == 0 ? T(0) : y;
    d[i] = masked && may[i] == 0 ? T(0) : slope;
  }
}

GLASS_CLONES void or_row(const bool* x, bool* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] | y[i];
}

// f(job, worker) for every job, on up to `workers` threads with a buffer each; whichever is free
// takes the next one.
template <class F>
void share(int64_t jobs, int64_t workers, const F& f) {
  std::atomic<int64_t> next{0};
  parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker)
      for (int64_t job; (job = next.fetch_add(1, std::memory_order_relaxed)) < jobs;)
        f(job, worker);
  });
}

// Keys begin … end - 1 of batch row n, for all queries; dq [T, D] gets their part. y and d hold
// chunk rows of kTile weights and of their gradients, which stay in the cache between their uses.
template <class T>
void keys_backward(const ChunkedBackward& g, int64_t n, int64_t begin, int64_t end, T* y, T* d,
                   T* dq) {
  const int64_t queries = g.query.shape()[1], D = g.query.shape()[2];
  const int64_t S = g.key.shape()[1], K = g.value.shape()[2];
  const T *top = g.top.data<T>() + n * queries, *factor = g.factor.data<T>() + n * queries;
  const T* dots = g.dots.data<T>() + n * queries;
  for (int64_t s = begin; s < end; s += kTile) {
    const int64_t tile = std::min(kTile, end - s), key = n * S + s;
    const T *k = g.key.data<T>() + key * D, *v = g.value.data<T>() + key * K;
    for (int64_t t = 0; t < queries; t += g.chunk) {
      const int64_t m = std::min(g.chunk, queries - t), row = n * queries + t;
      if (end_of_seen(g.allowed, n, t, m, s, s + tile) == s) {
        if (s == begin) std::fill_n(dq + t * D, m * D, T(0));
        continue;
      }
      const T *q = g.query.data<T>() + row * D, *up = g.d_out.data<T>() + row * K;
      multiply_here<T>({q, D}, {k, D, true}, 0, y, tile, m, tile, D);
      multiply_here<T>({up, K}, {v, K, true}, 0, d, tile, m, tile, K);
      for (int64_t i = 0; i < m; ++i) {
        const MaskRow may = mask_row(g.allowed, n, t + i);
        const RowScale<T> scale{top[t + i], factor[t + i]};
        T *yi = y + i * tile, *di = d + i * tile;
        if (may.none) {
          std::fill_n(yi, tile, T(0));
          std::fill_n(di, tile, T(0));
        } else if (may.keys) {
          softmax_again<T, true>(yi, may.keys + s, scale, di, dots[t + i], tile);
        } else {
          softmax_again<T, false>(yi, nullptr, scale, di, dots[t + i], tile);
        }
      }
      multiply_here<T>({y, tile, true}, {up, K}, 1, g.d_value.data<T>() + key * K, K, tile, K, m);
      multiply_here<T>({d, tile, true}, {q, D}, 1, g.d_key.data<T>() + key * D, D, tile, D, m);
      multiply_here<T>({d, tile}, {k, D}, s == begin ? T(0) : T(1), dq + t * D, D, m, D, tile);
    }
  }
}

}  // namespace

void chunked_attention(const ChunkedForward& f) {
  const int64_t N = f.query.shape()[0], queries = f.query.shape()[1], D = f.query.shape()[2];
  const int64_t S = f.key.shape()[1], K = f.value.shape()[2];
  const int64_t fair = std::max<int64_t>(16, kMostHeld / (num_threads() * S));
  const int64_t rows = std::min({f.chunk, queries, fair}), blocks = ceil_div(queries, rows);
  const int64_t workers = std::min<int64_t>(num_threads(), N * blocks);
  const Tensor buffer = Tensor::empty({workers, rows * S}, f.query.dtype());
  visit_floating("chunked_attention", f.query.dtype(), [&]<class T>(T) {
    const T *q = f.query.data<T>(), *k = f.key.data<T>(), *v = f.value.data<T>();
    T *out = f.out.data<T>(), *held = buffer.data<T>();
    T *top = f.top.data<T>(), *factor = f.factor.data<T>();
    share(N * blocks, workers, [&](int64_t job, int64_t worker) {
      const int64_t n = job / blocks, t = job % blocks * rows, first = n * queries + t;
      const int64_t m = std::min(rows, queries - t);
      const int64_t seen = end_of_seen(f.allowed, n, t, m, 0, S);
      T* weights = held + worker * rows * S;
      if (seen == 0) {
        std::fill_n(top + first, m, T(0));
        std::fill_n(factor + first, m, T(0));
        return;  // out is 0
      }
      multiply_here<T>({q + first * D, D}, {k + n * S * D, D, true}, 0, weights, seen, m, seen, D);
      for (int64_t i = 0; i < m; ++i) {
        T* y = weights + i * seen;
        const MaskRow may = mask_row(f.allowed, n, t + i);
        RowScale<T> scale{0, 0};
        if (may.none)
          std::fill_n(y, seen, T(0));
        else
          scale = masked_softmax_row(y, may.keys, y, seen);
        top[first + i] = scale.top;
        factor[first + i] = scale.factor;
      }
      multiply_here<T>({weights, seen}, {v + n * S * K, K}, 0, out + first * K, K, m, K, seen);
    });
  });
}

// A batch row per job, or, where these are too few for the threads, a range of keys of one: then
// the parts of dq are added up at the end.
void chunked_attention_backward(const ChunkedBackward& g) {
  const int64_t N = g.query.shape()[0], queries = g.query.shape()[1], D = g.query.shape()[2];
  const int64_t S = g.key.shape()[1], size = std::max<int64_t>(1, queries * D);
  const int64_t wanted = N >= num_threads() ? 1 : ceil_div(4 * num_threads(), N);
  const int64_t parts = std::min({wanted, ceil_div(S, kTile), 1 + kMostHeld / (N * size)});
  const int64_t length = ceil_div(ceil_div(S, kTile), parts) * kTile;
  const int64_t workers = std::min<int64_t>(num_threads(), N * parts);
  const int64_t held = std::min(g.chunk, queries) * std::min(kTile, S);
  const Tensor buffer = Tensor::empty({workers, 2 * held}, g.query.dtype());
  const Tensor sums =
      parts == 1 ? g.d_query : Tensor::zeros({N, parts, queries, D}, g.query.dtype());
  visit_floating("chunked_attention", g.query.dtype(), [&]<class T>(T) {
    T *y = buffer.data<T>(), *dq = sums.data<T>();
    share(N * parts, workers, [&](int64_t job, int64_t worker) {
      const int64_t begin = job % parts * length;
      T* mine = y + worker * 2 * held;
      keys_backward<T>(g, job / parts, begin, std::min(begin + length, S), mine, mine + held,
                       dq + job * queries * D);
    });
  });
  if (parts > 1) g.d_query.copy_(sum(sums, {1}));
}

void any_query(const Tensor& allowed, const Tensor& out) {
  const int64_t S = allowed.shape()[2];
  const int64_t queries =
      allowed.strides()[1] == 0 ? std::min<int64_t>(1, allowed.shape()[1]) : allowed.shape()[1];
  bool* any = out.data<bool>();
  for (int64_t n = 0; n < allowed.shape()[0]; ++n) {
    std::fill_n(any + n * S, S, false);
    for (int64_t t = 0; t < queries; ++t) {
      const MaskRow may = mask_row(allowed, n, t);
      if (may.keys)
        or_row(may.keys, any + n * S, S);
      else if (!may.none)
        std::fill_n(any + n * S, S, true);
    }
  }
}

}  // namespace glass::cpu
