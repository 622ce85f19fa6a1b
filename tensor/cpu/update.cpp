#include "tensor/update.h"

#include <cmath>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

constexpr int64_t kGrain = 16384;  // elements per thread

template <class T>
struct Sgd {
  T lr, weight_decay, momentum, keep, nesterov, sign;
};

template <class T>
GLASS_CLONES void sgd_plain(const Sgd<T>& constants, int64_t n, T* p, const T* grad) {
  const Sgd<T> c = constants;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) p[i] -= c.lr * (c.sign * grad[i] + c.weight_decay * p[i]);
}

template <class T>
GLASS_CLONES void sgd_momentum(const Sgd<T>& constants, int64_t n, T* p, const T* grad, T* m) {
  const Sgd<T> c = constants;
  // Without Nesterov the step is m, with it g + momentum·m.
  const T of_m = c.nesterov != 0 ? c.momentum : T(1);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.sign * grad[i] + c.weight_decay * p[i];
    const T next = c.momentum * m[i] + c.keep * g;
    m[i] = next;
    p[i] -= c.lr * (c.nesterov * g + of_m * next);
  }
}

template <class T>
struct Adam {
  T step_size, root_scale, shrink, weight_decay, beta1, one_less_beta1, beta2, one_less_beta2, eps,
      sign;
};

template <bool kLargest, class T>
GLASS_CLONES void adam_row(const Adam<T>& constants, int64_t n, T* p, const T* grad, T* m, T* v,
                           T* max_v) {
  const Adam<T> c = constants;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.sign * grad[i] + c.weight_decay * p[i];
    const T next_m = c.beta1 * m[i] + c.one_less_beta1 * g;
    const T next_v = c.beta2 * v[i] + c.one_less_beta2 * (g * g);
    m[i] = next_m;
    v[i] = next_v;
    T used = next_v;
    if constexpr (kLargest) {
      used = max_v[i] > next_v ? max_v[i] : next_v;
      max_v[i] = used;
    }
    p[i] = c.shrink * p[i] - c.step_size * next_m / (sqrt(used) * c.root_scale + c.eps);
  }
}

template <class T>
Adam<T> adam_constants(const AdamStep& s) {
  const auto t = [](double x) { return static_cast<T>(x); };
  return {t(s.step_size), t(s.root_scale),       t(s.shrink), t(s.weight_decay),
          t(s.beta1),     t(1 - s.beta1),        t(s.beta2),  t(1 - s.beta2),
          t(s.eps),       t(s.maximize ? -1 : 1)};
}

}  // namespace

void sgd_step(const SgdStep& s) {
  visit_floating("SGD", s.param.dtype(), [&]<class T>(T) {
    const Sgd<T> c{static_cast<T>(s.lr),       static_cast<T>(s.weight_decay),
                   static_cast<T>(s.momentum), static_cast<T>(s.keep),
                   static_cast<T>(s.nesterov), static_cast<T>(s.maximize ? -1 : 1)};
    T* p = s.param.data<T>();
    const T* g = s.grad.data<T>();
    T* m = s.momentum_buffer.defined() ? s.momentum_buffer.data<T>() : nullptr;
    parallel_for(s.param.numel(), kGrain, [&](int64_t begin, int64_t end) {
      if (m)
        sgd_momentum(c, end - begin, p + begin, g + begin, m + begin);
      else
        sgd_plain(c, end - begin, p + begin, g + begin);
    });
  });
}

void adam_step(const AdamStep& s) {
  visit_floating("Adam", s.param.dtype(), [&]<class T>(T) {
    const Adam<T> c = adam_constants<T>(s);
    T *p = s.param.data<T>(), *m = s.m.data<T>(), *v = s.v.data<T>();
    const T* g = s.grad.data<T>();
    T* max_v = s.max_v.defined() ? s.max_v.data<T>() : nullptr;
    parallel_for(s.param.numel(), kGrain, [&](int64_t begin, int64_t end) {
      const int64_t n = end - begin;
      if (max_v)
        adam_row<true>(c, n, p + begin, g + begin, m + begin, v + begin, max_v + begin);
      else
        adam_row<false, T>(c, n, p + begin, g + begin, m + begin, v + begin, nullptr);
    });
  });
}

namespace {

template <class T>
GLASS_CLONES double row_power_sum(const T* x, int64_t n, double p, double scale) {
  double sum = 0;
  if (p == 2) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) {
      const double y = static_cast<double>(x[i]) * scale;
      sum += y * y;
    }
  } else if (p == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += abs(static_cast<double>(x[i]) * scale);
  } else {
    for (int64_t i = 0; i < n; ++i) sum += std::pow(std::abs(static_cast<double>(x[i]) * scale), p);
  }
  return sum;
}

}  // namespace

// In parts of fixed size that are added in order: the sum does not depend on the threads.
double power_sum(const Tensor& x, double p, double scale) {
  const int64_t parts = ceil_div(x.numel(), kGrain);
  const Tensor sums = Tensor::zeros({parts}, kFloat64);
  double* out = sums.data<double>();
  visit_floating("norm", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] =
            row_power_sum(from + i * kGrain, std::min(kGrain, x.numel() - i * kGrain), p, scale);
    });
  });
  double total = 0;
  for (int64_t i = 0; i < parts; ++i) total += out[i];
  return total;
}

}  // namespace glass::cpu
