#include "tensor/normalization.h"

#include <algorithm>
#include <cmath>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

template <class T>
GLASS_CLONES T run_sum(const T* x, int64_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

template <class T>
GLASS_CLONES T run_squares(const T* x, int64_t n, T mean) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += (x[i] - mean) * (x[i] - mean);
  return total;
}

// y = (x - mean)·scale·weight + bias; step 0: one weight and bias for the whole run.
template <class T>
GLASS_CLONES void run_value(const T* x, T* y, int64_t n, T mean, T scale, const T* weight,
                            const T* bias, int64_t step) {
  if (step == 0) {
    const T factor = weight ? scale * *weight : scale, shift = bias ? *bias : T(0);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor + shift;
  } else if (weight && bias) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
  } else {
    for (int64_t i = 0; i < n; ++i)
      y[i] = (x[i] - mean) * scale * (weight ? weight[i] : T(1)) + (bias ? bias[i] : T(0));
  }
}

template <class T>
struct Sums {
  T plain = 0, dot = 0;
};

// The sums of g = dy·weight and of g·(x - mean) over a run with one weight each, or one for all.
template <class T>
GLASS_CLONES Sums<T> run_sums(const T* dy, const T* x, int64_t n, T mean, const T* weight,
                              int64_t step) {
  T plain = 0, dot = 0;
  if (step == 0 || !weight) {
#pragma omp simd reduction(+ : plain, dot)
    for (int64_t i = 0; i < n; ++i) {
      plain += dy[i];
      dot += dy[i] * (x[i] - mean);
    }
    const T factor = weight ? *weight : T(1);
    return {plain * factor, dot * factor};
  }
#pragma omp simd reduction(+ : plain, dot)
  for (int64_t i = 0; i < n; ++i) {
    const T g = dy[i] * weight[i];
    plain += g;
    dot += g * (x[i] - mean);
  }
  return {plain, dot};
}

// dx = scale·(g - a - b·(x - mean))
template <class T>
GLASS_CLONES void run_slope(const T* dy, const T* x, T* dx, int64_t n, T mean, T scale, T a, T b,
                            const T* weight, int64_t step) {
  if (step == 0 || !weight) {
    const T factor = weight ? *weight : T(1);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = scale * (dy[i] * factor - a - b * (x[i] - mean));
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = scale * (dy[i] * weight[i] - a - b * (x[i] - mean));
  }
}

// dweight += dy·(x - mean)·scale, dbias += dy, each element its own.
template <class T>
GLASS_CLONES void run_affine(const T* dy, const T* x, int64_t n, T mean, T scale, T* dweight,
                             T* dbias) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    dweight[i] += dy[i] * (x[i] - mean) * scale;
    dbias[i] += dy[i];
  }
}

// The runs of a set. Runs of one element side by side are taken as one run of `step` 1.
struct Runs {
  explicit Runs(const NormSets& s) : sets(s) {
    if (s.inner != 1 || s.block_step != 1) return;
    step = s.run_step;
    length = s.blocks;
    blocks = 1;
  }
  const NormSets& sets;
  int64_t step = 0, length = sets.inner, blocks = sets.blocks;

  // f(place of the run, number of its first weight)
  template <class F>
  void each(int64_t set, const F& f) const {
    for (int64_t k = 0; k < blocks; ++k)
      f(set * sets.set_step + k * sets.block_step, sets.affine(set, k));
  }
};

template <class T>
T inverse_deviation(T variance, double eps) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + eps));
}

int64_t grain_of(const NormSets& s) {
  return std::max<int64_t>(1, 8192 / std::max<int64_t>(s.count(), 1));
}

}  // namespace

void normalize(const Normalization& n) {
  const Runs runs(n.sets);
  visit_floating("normalize", n.x.dtype(), [&]<class T>(T) {
    const T* x = n.x.data<T>();
    const T* weight = n.weight.defined() ? n.weight.data<T>() : nullptr;
    const T* bias = n.bias.defined() ? n.bias.data<T>() : nullptr;
    T *y = n.y.data<T>(), *mean = n.mean.data<T>(), *variance = n.variance.data<T>();
    const auto count = static_cast<double>(n.sets.count());
    parallel_for(n.sets.sets, grain_of(n.sets), [&](int64_t begin, int64_t end) {
      for (int64_t set = begin; set < end; ++set) {
        double total = 0, squares = 0;
        runs.each(set, [&](int64_t at, int64_t) { total += run_sum(x + at, runs.length); });
        const T middle = mean[set] = static_cast<T>(total / count);
        runs.each(
            set, [&](int64_t at, int64_t) { squares += run_squares(x + at, runs.length, middle); });
        variance[set] = static_cast<T>(squares / count);
        const T scale = inverse_deviation(variance[set], n.eps);
        runs.each(set, [&](int64_t at, int64_t k) {
          run_value(x + at, y + at, runs.length, middle, scale, weight ? weight + k : nullptr,
                    bias ? bias + k : nullptr, runs.step);
        });
      }
    });
  });
}

// With x̂ = (x - mean)·scale and g = dy·weight: dx = scale·(g - mean of g - x̂·mean of g·x̂).
void normalize_backward(const NormalizationBackward& n) {
  const Runs runs(n.sets);
  const bool affine = n.dweight.defined() || n.dbias.defined();
  const int64_t size = affine ? (n.dweight.defined() ? n.dweight : n.dbias).numel() : 0;
  const int64_t parts = std::clamp<int64_t>(n.sets.sets / grain_of(n.sets), 1, num_threads());
  visit_floating("normalize", n.x.dtype(), [&]<class T>(T) {
    const T *x = n.x.data<T>(), *dy = n.dy.data<T>();
    const T *mean = n.mean.data<T>(), *variance = n.variance.data<T>();
    const T* weight = n.weight.defined() ? n.weight.data<T>() : nullptr;
    T* dx = n.dx.defined() ? n.dx.data<T>() : nullptr;
    const Tensor sums = Tensor::zeros({parts, 2, size}, dtype_of<T>());  // a part adds to its own
    T* all_sums = sums.data<T>();
    const auto count = static_cast<T>(n.sets.count());
    const auto do_set = [&](int64_t set, T* dweight, T* dbias) {
      const T middle = mean[set], scale = inverse_deviation(variance[set], n.eps);
      Sums<T> total;
      runs.each(set, [&](int64_t at, int64_t k) {
        const T* w = weight ? weight + k : nullptr;
        if (affine && runs.step == 1)
          run_affine(dy + at, x + at, runs.length, middle, scale, dweight + k, dbias + k);
        if (affine && runs.step == 0) {
          const Sums<T> plain = run_sums<T>(dy + at, x + at, runs.length, middle, nullptr, 0);
          dweight[k] += plain.dot * scale;
          dbias[k] += plain.plain;
          total.plain += w ? plain.plain * *w : plain.plain;
          total.dot += w ? plain.dot * *w : plain.dot;
        } else if (dx) {
          const Sums<T> part = run_sums(dy + at, x + at, runs.length, middle, w, runs.step);
          total.plain += part.plain;
          total.dot += part.dot;
        }
      });
      if (!dx) return;
      const T a = total.plain / count, b = total.dot / count * scale * scale;
      runs.each(set, [&](int64_t at, int64_t k) {
        run_slope(dy + at, x + at, dx + at, runs.length, middle, scale, a, b,
                  weight ? weight + k : nullptr, runs.step);
      });
    };
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        for (int64_t set = n.sets.sets * part / parts; set < n.sets.sets * (part + 1) / parts;
             ++set)
          do_set(set, all_sums + 2 * part * size, all_sums + (2 * part + 1) * size);
    });
    for (int which : {0, 1}) {
      const Tensor& out = which == 0 ? n.dweight : n.dbias;
      if (!out.defined()) continue;
      T* to = out.data<T>();
      std::fill(to, to + size, T(0));
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t i = 0; i < size; ++i) to[i] += all_sums[(2 * part + which) * size + i];
    }
  });
}

}  // namespace glass::cpu
