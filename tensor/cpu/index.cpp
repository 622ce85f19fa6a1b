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

// Calls f(place in the indexed tensor, place in the other one, place in the index).
template <class F>
static void for_each_index(const Tensor& indexed, const Tensor& other, int dim, const Tensor& index,
                           const F& f) {
  const int64_t* ids = index.data<int64_t>();
  for (int64_t i = 0; i < index.numel(); ++i) {
    int64_t rest = i, place = 0, other_place = 0;
    for (int axis = index.ndim() - 1; axis >= 0; --axis) {
      const int64_t k = rest % index.shape()[axis];
      rest /= index.shape()[axis];
      place += (axis == dim ? ids[i] : k) * indexed.strides()[axis];
      other_place += k * other.strides()[axis];
    }
    f(place, other_place);
  }
}

void gather(const Tensor& x, int dim, const Tensor& index, const Tensor& out) {
  visit(x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    for_each_index(x, out, dim, index, [&](int64_t place, int64_t i) { to[i] = from[place]; });
  });
}

void scatter_add(const Tensor& out, int dim, const Tensor& index, const Tensor& src) {
  visit_number("scatter_add", out.dtype(), [&]<class T>(T) {
    const T* from = src.data<T>();
    T* to = out.data<T>();
    for_each_index(out, src, dim, index, [&](int64_t place, int64_t i) { to[place] += from[i]; });
  });
}

}  // namespace glass::cpu
