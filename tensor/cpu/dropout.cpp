#include <algorithm>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/cpu/philox.h"
#include "tensor/parallel.h"

namespace glass::cpu {

constexpr int64_t kWords = 512;  // per chunk: one word of the stream for each element

template <class T>
GLASS_CLONES void keep_or_zero(const uint32_t* words, uint32_t last, T scale, const T* x, T* y,
                               int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = words[i] <= last ? x[i] * scale : T(0);
}

void dropout(const Tensor& x, const DropoutDraw& draw, const Tensor& out) {
  visit_floating("dropout", x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    const int64_t n = x.numel();
    parallel_for(ceil_div(n, kWords), 16, [&](int64_t begin, int64_t end) {
      alignas(64) uint32_t words[kWords];
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t at = chunk * kWords;
        philox_words(draw.key, draw.counter + static_cast<uint64_t>(at / 4), words);
        keep_or_zero(words, draw.last_kept, static_cast<T>(draw.scale), from + at, to + at,
                     std::min(kWords, n - at));
      }
    });
  });
}

}  // namespace glass::cpu
