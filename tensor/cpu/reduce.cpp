#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

struct Sum {
  template <class T>
  static constexpr T start() {
    return T(0);
  }
  template <class T>
  GLASS_FN static T join(T a, T b) {
    return a + b;
  }
};
struct Prod {
  template <class T>
  static constexpr T start() {
    return T(1);
  }
  template <class T>
  GLASS_FN static T join(T a, T b) {
    return a * b;
  }
};
// NaN wins: it must not be lost on the way.
struct Max {
  template <class T>
  static constexpr T start() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
  template <class T>
  GLASS_FN static T join(T a, T b) {
    return a != a ? a : (b > a || b != b) ? b : a;
  }
};
struct Min {
  template <class T>
  static constexpr T start() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::max();
  }
  template <class T>
  GLASS_FN static T join(T a, T b) {
    return a != a ? a : (b < a || b != b) ? b : a;
  }
};

constexpr int kLanes = 16;
constexpr int64_t kBlock = 4096;  // partial results per block: keeps rounding errors small

// One block with kLanes running results, joined in a fixed order.
template <class Op, class T>
GLASS_CLONES T reduce_block(const T* x, int64_t n) {
  T lanes[kLanes];
  for (T& lane : lanes) lane = Op::template start<T>();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
#pragma omp simd
    for (int k = 0; k < kLanes; ++k) lanes[k] = Op::join(lanes[k], x[i + k]);
  for (; i < n; ++i) lanes[i % kLanes] = Op::join(lanes[i % kLanes], x[i]);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) lanes[k] = Op::join(lanes[k], lanes[k + width]);
  return lanes[0];
}

template <class Op, class T>
GLASS_CLONES void join_row(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = Op::join(out[i], x[i]);
}

template <class Op, class T>
T reduce_blocks(const T* x, int64_t n) {
  T total = Op::template start<T>();
  if (n < kLanes) {
    for (int64_t i = 0; i < n; ++i) total = Op::join(total, x[i]);
    return total;
  }
  for (int64_t i = 0; i < n; i += kBlock)
    total = Op::join(total, reduce_block<Op>(x + i, std::min(kBlock, n - i)));
  return total;
}

// [outer, length] -> [outer]. A single long row is cut into blocks of fixed size, so that the
// result does not depend on the number of threads.
template <class Op, class T>
void reduce_rows(const T* x, int64_t outer, int64_t length, T* out) {
  if (outer == 1 && length > 16 * kBlock) {
    const int64_t blocks = ceil_div(length, kBlock);
    std::vector<T> partial(static_cast<size_t>(blocks));
    parallel_for(blocks, 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        partial[static_cast<size_t>(i)] =
            reduce_block<Op>(x + i * kBlock, std::min(kBlock, length - i * kBlock));
    });
    *out = reduce_blocks<Op>(partial.data(), blocks);
    return;
  }
  parallel_for(outer, std::max<int64_t>(1, 32768 / std::max<int64_t>(length, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   out[i] = reduce_blocks<Op>(x + i * length, length);
               });
}

// [outer, length, inner] -> [outer, inner]: whole rows are joined, in groups of kGroup rows whose
// results are then joined, against the growth of rounding errors.
template <class Op, class T>
void reduce_columns(const T* x, Axis3 axis, T* out) {
  constexpr int64_t kGroup = 256, kColumns = 512;
  const int64_t strips = ceil_div(axis.inner, kColumns);
  const int64_t work = axis.length * std::min(axis.inner, kColumns);
  parallel_for(axis.outer * strips, std::max<int64_t>(1, 32768 / std::max<int64_t>(work, 1)),
               [&](int64_t begin, int64_t end) {
                 T group[kColumns];
                 for (int64_t part = begin; part < end; ++part) {
                   const int64_t o = part / strips, column = part % strips * kColumns;
                   const int64_t n = std::min(kColumns, axis.inner - column);
                   T* result = out + o * axis.inner + column;
                   const T* from = x + o * axis.length * axis.inner + column;
                   std::fill_n(result, n, Op::template start<T>());
                   for (int64_t r = 0; r < axis.length; r += kGroup) {
                     std::fill_n(group, n, Op::template start<T>());
                     for (int64_t k = r; k < std::min(axis.length, r + kGroup); ++k)
                       join_row<Op>(group, from + k * axis.inner, n);
                     join_row<Op>(result, group, n);
                   }
                 }
               });
}

template <class Op, class T>
void reduce_as(const Tensor& x, Axis3 axis, const Tensor& out) {
  const T* from = static_cast<const T*>(x.raw());
  T* to = static_cast<T*>(out.raw());
  if (axis.inner == 1)
    reduce_rows<Op>(from, axis.outer, axis.length, to);
  else
    reduce_columns<Op>(from, axis, to);
}

}  // namespace

void reduce(Reduction kind, const Tensor& x, Axis3 axis, const Tensor& out) {
  visit_number("reduce", x.dtype(), [&]<class T>(T) {
    switch (kind) {
      case Reduction::sum:
        return reduce_as<Sum, T>(x, axis, out);
      case Reduction::prod:
        return reduce_as<Prod, T>(x, axis, out);
      case Reduction::max:
        return reduce_as<Max, T>(x, axis, out);
      case Reduction::min:
        return reduce_as<Min, T>(x, axis, out);
    }
  });
}

// The first of equals; the first NaN before all numbers.
void arg_extreme(bool largest, const Tensor& x, Axis3 axis, const Tensor& out) {
  visit_number("argmax", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    int64_t* to = out.data<int64_t>();
    const int64_t columns = axis.outer * axis.inner;
    parallel_for(
        columns, std::max<int64_t>(1, 16384 / axis.length), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const T* column = from + i / axis.inner * axis.length * axis.inner + i % axis.inner;
            int64_t best = 0;
            for (int64_t k = 1; k < axis.length; ++k) {
              const T a = column[best * axis.inner], b = column[k * axis.inner];
              if ((largest ? b > a : b < a) || (b != b && a == a)) best = k;
            }
            to[i] = best;
          }
        });
  });
}

bool all_finite(const Tensor& x) {
  return visit_floating("all_finite", x.dtype(), [&]<class T>(T) {
    // 0 · x is 0 for finite x and NaN otherwise.
    const T* from = x.data<T>();
    T total = 0;
    for (int64_t i = 0; i < x.numel(); ++i) total += T(0) * from[i];
    return total == T(0);
  });
}

}  // namespace glass::cpu
