#include "tensor/pooling.h"

#include <algorithm>
#include <limits>

#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

// f(plane, row, column, output place) for every output place; planes in parallel.
template <class F>
void for_outputs(int64_t planes, const Pool& pool, const F& f) {
  const int64_t h = pool.axes[0].outputs(), w = pool.axes[1].outputs();
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(h * w, 1));
  parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane)
      for (int64_t i = 0; i < h; ++i)
        for (int64_t j = 0; j < w; ++j) f(plane, i, j, (plane * h + i) * w + j);
  });
}

// f(place in the plane) for the elements of a window, in order.
template <class F>
void for_window(const Pool& pool, int64_t width, int64_t row, int64_t column, const F& f) {
  const PoolAxis &down = pool.axes[0], &right = pool.axes[1];
  const auto r = static_cast<size_t>(row), c = static_cast<size_t>(column);
  for (int64_t i = down.begin[r]; i < down.end[r]; i += down.step)
    for (int64_t j = right.begin[c]; j < right.end[c]; j += right.step) f(i * width + j);
}

}  // namespace

void max_pool(const Tensor& x, const Pool& pool, const Tensor& y, const Tensor& indices) {
  const int64_t size = x.size(1) * x.size(2), width = x.size(2);
  visit_floating("max_pool", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    int64_t* place = indices.data<int64_t>();
    for_outputs(x.size(0), pool, [&](int64_t plane, int64_t row, int64_t column, int64_t at) {
      const T* image = from + plane * size;
      T best = -std::numeric_limits<T>::infinity();
      int64_t best_at = -1;  // the first of equals; NaN counts as largest
      for_window(pool, width, row, column, [&](int64_t k) {
        if (best_at >= 0 && !(image[k] > best || image[k] != image[k])) return;
        best = image[k];
        best_at = k;
      });
      to[at] = best;
      place[at] = best_at;
    });
  });
}

void avg_pool(const Tensor& x, const Pool& pool, const Tensor& y) {
  const int64_t size = x.size(1) * x.size(2), width = x.size(2);
  visit_floating("avg_pool", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = y.data<T>();
    for_outputs(x.size(0), pool, [&](int64_t plane, int64_t row, int64_t column, int64_t at) {
      T total = 0;
      for_window(pool, width, row, column, [&](int64_t k) { total += from[plane * size + k]; });
      to[at] = total * static_cast<T>(pool.weight(row, column));
    });
  });
}

// Windows of one plane overlap; planes do not.
void avg_pool_backward(const Tensor& dy, const Pool& pool, const Tensor& dx) {
  const int64_t size = dx.size(1) * dx.size(2), width = dx.size(2);
  visit_floating("avg_pool", dy.dtype(), [&]<class T>(T) {
    const T* from = dy.data<T>();
    T* to = dx.data<T>();
    std::fill(to, to + dx.numel(), T(0));
    for_outputs(dx.size(0), pool, [&](int64_t plane, int64_t row, int64_t column, int64_t at) {
      const T part = from[at] * static_cast<T>(pool.weight(row, column));
      for_window(pool, width, row, column, [&](int64_t k) { to[plane * size + k] += part; });
    });
  });
}

}  // namespace glass::cpu
