#include "tensor/attention.h"

#include <algorithm>
#include <vector>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/masked_rows.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

template <class T>
T* at(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

// v·tanh(q + k)
template <class T>
GLASS_CLONES T additive_score(const T* q, const T* k, const T* v, int64_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += v[i] * tanh(q[i] + k[i]);
  return total;
}

// With t = tanh(q + k) and de the gradient of the score v·t:
// dv += de·t;  dq += de·v·(1 - t²);  dk += the same
template <class T, bool has_keys>
GLASS_CLONES void additive_score_backward(const T* q, const T* k, const T* v, T de, T* dq, T* dk,
                                          T* dv, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T t = tanh(q[i] + k[i]);
    const T slope = de * v[i] * (1 - t * t);
    dv[i] += de * t;
    dq[i] += slope;
    if constexpr (has_keys) dk[i] += slope;
  }
}

template <class T>
GLASS_CLONES T dot(const T* a, const T* b, int64_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += a[i] * b[i];
  return total;
}

template <class T>
GLASS_CLONES void add_scaled(T* sum, T factor, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) sum[i] += factor * x[i];
}

template <class T, bool masked>
GLASS_CLONES T dot_where(const T* a, const T* b, const bool* allowed, int64_t n) {
  const uint8_t* may = bytes_of(allowed);
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) {
    const T product = a[i] * b[i];
    total += masked && may[i] == 0 ? T(0) : product;
  }
  return total;
}

template <class T, bool masked>
GLASS_CLONES void softmax_slope(const T* dy, const T* y, const bool* allowed, T* dx, int64_t n,
                                T dot) {
  const uint8_t* may = bytes_of(allowed);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T slope = y[i] * (dy[i] - dot);
    dx[i] = masked && may[i] == 0 ? T(0) : slope;
  }
}

// dx = y·(dy - sum(dy·y)) over what is allowed, else 0. dx may be dy.
template <class T>
void masked_softmax_row_backward(const T* dy, const T* y, const bool* allowed, T* dx, int64_t n) {
  if (allowed)
    softmax_slope<T, true>(dy, y, allowed, dx, n, dot_where<T, true>(dy, y, allowed, n));
  else
    softmax_slope<T, false>(dy, y, allowed, dx, n, dot_where<T, false>(dy, y, allowed, n));
}

}  // namespace

void masked_softmax(const Tensor& x, const Tensor& allowed, const Tensor& out) {
  const int64_t n = x.shape()[1];
  visit_floating("masked_softmax", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    const bool* mask = at<bool>(allowed);
    T* to = out.data<T>();
    parallel_for(x.shape()[0], 1 + 4096 / n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n)
        masked_softmax_row(from + i, mask ? mask + i : nullptr, to + i, n);
    });
  });
}

void masked_softmax_backward(const Tensor& dy, const Tensor& y, const Tensor& allowed,
                             const Tensor& dx) {
  const int64_t n = y.shape()[1];
  visit_floating("masked_softmax", y.dtype(), [&]<class T>(T) {
    const T *up = dy.data<T>(), *value = y.data<T>();
    const bool* mask = at<bool>(allowed);
    T* to = dx.data<T>();
    parallel_for(y.shape()[0], 1 + 4096 / n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n)
        masked_softmax_row_backward(up + i, value + i, mask ? mask + i : nullptr, to + i, n);
    });
  });
}

void additive_attention(const AttentionForward& f) {
  const int64_t B = f.keys.shape()[0], S = f.keys.shape()[1], A = f.keys.shape()[2];
  const int64_t K = f.values.shape()[2], queries = f.query.shape()[1];
  visit_floating("additive_attention", f.query.dtype(), [&]<class T>(T) {
    const T *query = f.query.data<T>(), *keys = f.keys.data<T>(), *v = f.v.data<T>();
    const T* values = f.values.data<T>();
    const bool* allowed = at<bool>(f.allowed);
    T *context = f.context.data<T>(), *weights = f.weights.data<T>();
    parallel_for(B * queries, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t b = row / queries;
        const bool* may = allowed ? allowed + b * S : nullptr;
        T *w = weights + row * S, *c = context + row * K;
        for (int64_t s = 0; s < S; ++s)
          w[s] =
              may && !may[s] ? T(0) : additive_score(query + row * A, keys + (b * S + s) * A, v, A);
        masked_softmax_row(w, may, w, S);
        std::fill_n(c, K, T(0));
        for (int64_t s = 0; s < S; ++s)
          if (!may || may[s]) add_scaled(c, w[s], values + (b * S + s) * K, K);
      }
    });
  });
}

void additive_attention_backward(const AttentionBackward& g) {
  const int64_t B = g.keys.shape()[0], S = g.keys.shape()[1], A = g.keys.shape()[2];
  const int64_t K = g.values.shape()[2], queries = g.query.shape()[1];
  visit_floating("additive_attention", g.query.dtype(), [&]<class T>(T) {
    const T *query = g.query.data<T>(), *keys = g.keys.data<T>(), *v = g.v.data<T>();
    const T *values = g.values.data<T>(), *weights = g.weights.data<T>();
    const T *d_context = at<T>(g.d_context), *d_weights = at<T>(g.d_weights);
    const bool* allowed = at<bool>(g.allowed);
    T *d_query = g.d_query.data<T>(), *d_keys = at<T>(g.d_keys), *d_v = g.d_v.data<T>();
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      std::vector<T> de(static_cast<size_t>(S));
      for (int64_t b = begin; b < end; ++b) {
        const bool* may = allowed ? allowed + b * S : nullptr;
        T* dv = d_v + b * A;
        std::fill_n(dv, A, T(0));
        for (int64_t row = b * queries; row < (b + 1) * queries; ++row) {
          T* dq = d_query + row * A;
          std::fill_n(dq, A, T(0));
          for (int64_t s = 0; s < S; ++s) {
            if (may && !may[s]) continue;
            T up = d_weights ? d_weights[row * S + s] : T(0);
            if (d_context) up += dot(d_context + row * K, values + (b * S + s) * K, K);
            de[static_cast<size_t>(s)] = up;
          }
          masked_softmax_row_backward(de.data(), weights + row * S, may, de.data(), S);
          for (int64_t s = 0; s < S; ++s) {
            if (may && !may[s]) continue;
            const T *q = query + row * A, *k = keys + (b * S + s) * A;
            const T slope = de[static_cast<size_t>(s)];
            if (d_keys)
              additive_score_backward<T, true>(q, k, v, slope, dq, d_keys + (b * S + s) * A, dv, A);
            else
              additive_score_backward<T, false>(q, k, v, slope, dq, nullptr, dv, A);
          }
        }
      }
    });
  });
}

}  // namespace glass::cpu
