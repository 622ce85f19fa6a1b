#include "tensor/loss.h"

#include <algorithm>

#include "tensor/cpu/exp_rows.h"
#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

constexpr int64_t kGrain = 8192;  // elements per thread

// Σ w·(x - top)
template <class T>
GLASS_CLONES T row_shifted_sum(const T* x, const T* w, int64_t n, T top) {
  T sum = 0;
  if (w) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += w[i] * (x[i] - top);
  } else {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += x[i] - top;
  }
  return sum;
}

// dx = scale·dx - even·w, where dx holds exp(x - top).
template <class T>
GLASS_CLONES void row_slope(const T* w, T* dx, int64_t n, T scale, T even) {
  if (w) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = scale * dx[i] - even * w[i];
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = scale * dx[i] - even;
  }
}

/// A CrossEntropyRows with its pointers.
template <class T>
struct Rows {
  const CrossEntropyRows& r;
  int64_t n = r.x.shape()[0], classes = r.x.shape()[1];
  const T* x = r.x.data<T>();
  const int64_t* target = r.target.data<int64_t>();
  const T* weight = r.weight.defined() ? r.weight.data<T>() : nullptr;
  T* top = r.top.data<T>();
  T* total = r.total.data<T>();
  double smooth = r.label_smoothing;
  double weight_sum = 0;  // Σ_c w_c

  explicit Rows(const CrossEntropyRows& rows) : r(rows) {
    weight_sum = static_cast<double>(classes);
    if (!weight) return;
    weight_sum = 0;
    for (int64_t c = 0; c < classes; ++c) weight_sum += static_cast<double>(weight[c]);
  }
  bool ignored(int64_t i) const { return target[i] == r.ignore_index; }
  double target_weight(int64_t i) const { return weight ? weight[target[i]] : 1; }
  double even() const { return smooth / static_cast<double>(classes); }
  // Σ_c q_c
  double mass(int64_t i) const { return (1 - smooth) * target_weight(i) + even() * weight_sum; }
  // The gradient of row i, whose exp(x - top) are in dx.
  void slope(int64_t i, T* dx, double upstream) const {
    row_slope(weight, dx, classes, static_cast<T>(upstream * mass(i) / total[i]),
              static_cast<T>(upstream * even()));
    dx[target[i]] -= static_cast<T>(upstream * (1 - smooth) * target_weight(i));
  }
  template <class F>
  void for_each(const F& f) const {
    parallel_for(n, std::max<int64_t>(1, kGrain / std::max<int64_t>(classes, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) f(i, x + i * classes);
                 });
  }
};

}  // namespace

void cross_entropy(const CrossEntropyRows& rows, const Tensor& loss, double factor,
                   const Tensor& dx) {
  visit_floating("cross_entropy", rows.x.dtype(), [&]<class T>(T) {
    const Rows<T> r(rows);
    T* out = loss.data<T>();
    T* slopes = dx.defined() ? dx.data<T>() : nullptr;
    r.for_each([&](int64_t i, const T* x) {
      T* to = slopes ? slopes + i * r.classes : nullptr;
      if (r.ignored(i)) {
        out[i] = 0;
        if (to) std::fill_n(to, r.classes, T(0));
        return;
      }
      const T top = r.top[i] = row_max(x, r.classes);
      const T total = r.total[i] =
          to ? row_exp(x, to, r.classes, top) : row_exp_sum(x, r.classes, top);
      const double at_target = static_cast<double>(x[r.target[i]] - top);
      double value = r.mass(i) * log(static_cast<double>(total)) -
                     (1 - r.smooth) * r.target_weight(i) * at_target;
      if (r.smooth > 0)
        value -= r.even() * static_cast<double>(row_shifted_sum(x, r.weight, r.classes, top));
      out[i] = static_cast<T>(value);
      if (to) r.slope(i, to, factor);
    });
  });
}

void cross_entropy_backward(const CrossEntropyRows& rows, const Tensor& up, double factor,
                            const Tensor& dx) {
  visit_floating("cross_entropy", rows.x.dtype(), [&]<class T>(T) {
    const Rows<T> r(rows);
    const T* g = up.data<T>();
    const int64_t step = up.numel() == 1 ? 0 : 1;
    T* slopes = dx.data<T>();
    r.for_each([&](int64_t i, const T* x) {
      T* to = slopes + i * r.classes;
      if (r.ignored(i)) {
        std::fill_n(to, r.classes, T(0));
        return;
      }
      row_exp(x, to, r.classes, r.top[i]);
      r.slope(i, to, factor * static_cast<double>(g[i * step]));
    });
  });
}

}  // namespace glass::cpu
