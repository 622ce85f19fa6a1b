#include <algorithm>
#include <cstring>

#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {

void index_select(const Tensor& x, Axis3 axis, const Tensor& index, const Tensor& out) {
  const int64_t n = index.numel();
  const int64_t* ids = index.data<int64_t>();
  const size_t bytes = static_cast<size_t>(axis.inner) * size_of(x.dtype());
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  parallel_for(axis.outer * n, std::max<int64_t>(1, 65536 / static_cast<int64_t>(bytes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t row = i / n * axis.length + ids[i % n];
                   std::memcpy(to + static_cast<size_t>(i) * bytes,
                               from + static_cast<size_t>(row) * bytes, bytes);
                 }
               });
}

// Repeated indices add up, in the order of the index. Columns are split among threads, so that no
// two of them write one place.
void index_add(const Tensor& out, Axis3 axis, const Tensor& index, const Tensor& src) {
  visit_number("index_add", out.dtype(), [&]<class T>(T) {
    const int64_t n = index.numel();
    const int64_t* ids = index.data<int64_t>();
    const T* from = src.data<T>();
    T* to = out.data<T>();
    const int64_t grain = std::max<int64_t>(32, 32768 / std::max<int64_t>(1, axis.outer * n));
    parallel_for(axis.inner, grain, [&](int64_t begin, int64_t end) {
      for (int64_t o = 0; o < axis.outer; ++o)
        for (int64_t i = 0; i < n; ++i) {
          T* row = to + (o * axis.length + ids[i]) * axis.inner;
          const T* add = from + (o * n + i) * axis.inner;
#pragma omp simd
          for (int64_t k = begin; k < end; ++k) row[k] += add[k];
        }
    });
  });
}

// Calls f(place in the indexed tensor, place in the other one) for the rows begin .. end of the
// index: a row is one run along its last axis.
template <class F>
static void for_each_index(const Tensor& indexed, const Tensor& other, int dim, const Tensor& index,
                           int64_t begin, int64_t end, const F& f) {
  const int last = index.ndim() - 1;
  const int64_t length = index.shape()[last];
  const int64_t along = indexed.strides()[dim], other_step = other.strides()[last];
  const int64_t step = last == dim ? 0 : indexed.strides()[last];
  const int64_t* ids = index.data<int64_t>() + begin * length;
  for (int64_t row = begin; row < end; ++row, ids += length) {
    int64_t rest = row, place = 0, other_place = 0;
    for (int axis = last - 1; axis >= 0; --axis) {
      const int64_t k = rest % index.shape()[axis];
      rest /= index.shape()[axis];
      if (axis != dim) place += k * indexed.strides()[axis];
      other_place += k * other.strides()[axis];
    }
    for (int64_t i = 0; i < length; ++i)
      f(place + i * step + ids[i] * along, other_place + i * other_step);
  }
}

void gather(const Tensor& x, int dim, const Tensor& index, const Tensor& out) {
  visit(x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    const int64_t length = index.size(-1);
    parallel_for(index.numel() / length, std::max<int64_t>(1, 8192 / length),
                 [&](int64_t begin, int64_t end) {
                   for_each_index(x, out, dim, index, begin, end,
                                  [&](int64_t place, int64_t i) { to[i] = from[place]; });
                 });
  });
}

// On one thread: two rows of the index may name one place.
void scatter_add(const Tensor& out, int dim, const Tensor& index, const Tensor& src) {
  visit_number("scatter_add", out.dtype(), [&]<class T>(T) {
    const T* from = src.data<T>();
    T* to = out.data<T>();
    for_each_index(out, src, dim, index, 0, index.numel() / index.size(-1),
                   [&](int64_t place, int64_t i) { to[place] += from[i]; });
  });
}

}  // namespace glass::cpu
