#include "tensor/cpu/kernels.h"
#include "tensor/cpu/masked_rows.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

// y = exp(x - top)·factor and d = y·(d - dot), where allowed, else 0. x becomes y.
template <class T, bool masked>
GLASS_CLONES void softmax_row_again(T* x, const bool* allowed, T top, T factor, T* d, T dot,
                                    int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T e = exp(x[i] - top) * factor;
    const bool may = !masked || allowed[i];
    const T slope = e * (d[i] - dot);
    x[i] = may ? e : T(0);
    d[i] = may ? slope : T(0);
  }
}

GLASS_CLONES void or_row(const bool* x, bool* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] | y[i];
}

// f(row, allowed, any): allowed is null where all keys of the row are; any: whether one is.
template <class F>
void for_block_rows(const SoftmaxBlock& block, const F& f) {
  const int64_t t = block.rows.shape()[1], n = block.rows.shape()[2];
  const Tensor& may = block.allowed;
  const bool* mask = may.defined() ? may.data<bool>() : nullptr;
  const bool repeated = mask && may.strides()[2] == 0;  // one value for the row
  parallel_for(block.rows.shape()[0] * t, 1 + 4096 / n, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const bool* at =
          mask ? mask + row / t * may.strides()[0] + row % t * may.strides()[1] : nullptr;
      f(row, repeated ? nullptr : at, !repeated || *at);
    }
  });
}

}  // namespace

void softmax_block(const SoftmaxBlock& block) {
  const int64_t n = block.rows.shape()[2];
  visit_floating("softmax_block", block.rows.dtype(), [&]<class T>(T) {
    T *rows = block.rows.data<T>(), *top = block.top.data<T>(), *factor = block.factor.data<T>();
    for_block_rows(block, [&](int64_t row, const bool* allowed, bool any) {
      T* x = rows + row * n;
      RowScale<T> scale{0, 0};
      if (any)
        scale = masked_softmax_row(x, allowed, x, n);
      else
        std::fill_n(x, n, T(0));
      top[row] = scale.top;
      factor[row] = scale.factor;
    });
  });
}

void softmax_block_backward(const SoftmaxBlock& block, const Tensor& d, const Tensor& dots) {
  const int64_t n = block.rows.shape()[2];
  visit_floating("softmax_block", block.rows.dtype(), [&]<class T>(T) {
    T *rows = block.rows.data<T>(), *up = d.data<T>();
    const T *top = block.top.data<T>(), *factor = block.factor.data<T>(), *dot = dots.data<T>();
    for_block_rows(block, [&](int64_t row, const bool* allowed, bool any) {
      T *x = rows + row * n, *dx = up + row * n;
      if (!any) {
        std::fill_n(x, n, T(0));
        std::fill_n(dx, n, T(0));
      } else if (allowed) {
        softmax_row_again<T, true>(x, allowed, top[row], factor[row], dx, dot[row], n);
      } else {
        softmax_row_again<T, false>(x, allowed, top[row], factor[row], dx, dot[row], n);
      }
    });
  });
}

void any_query(const Tensor& allowed, const Tensor& out) {
  const int64_t queries = allowed.shape()[1], n = allowed.shape()[2];
  const Strides& step = allowed.strides();
  const bool* mask = allowed.data<bool>();
  bool* any = out.data<bool>();
  for (int64_t b = 0; b < allowed.shape()[0]; ++b) {
    bool* row = any + b * n;
    std::fill_n(row, n, false);
    for (int64_t t = 0; t < (step[1] == 0 ? std::min<int64_t>(queries, 1) : queries); ++t) {
      const bool* may = mask + b * step[0] + t * step[1];
      if (step[2] == 1)
        or_row(may, row, n);
      else
        for (int64_t s = 0; s < n; ++s) row[s] = row[s] || may[s * step[2]];
    }
  }
}

}  // namespace glass::cpu
