#include <cmath>

#include "tensor/kernels.h"
#include "tensor/random.h"

namespace glass {

Tensor dropout(const Tensor& x, double p, Generator& generator) {
  if (!(p >= 0 && p <= 1)) fail("dropout", "p must be in [0, 1]", p);
  if (!is_floating(x.dtype()))
    fail("dropout", "needs float32 or float64", "got ", name_of(x.dtype()));
  const auto first = generator.take(static_cast<uint64_t>(x.numel() / 4 + (x.numel() % 4 != 0)));
  const double kept_words = std::nearbyint((1 - p) * 0x1p32);  // of 2^32
  if (kept_words == 0 || x.numel() == 0) return Tensor::zeros(x.shape(), x.dtype());
  Tensor out = Tensor::empty(x.shape(), x.dtype());
  kernels(x).dropout(x.contiguous(),
                     {generator.seed(), first, static_cast<uint32_t>(kept_words - 1), 1 / (1 - p)},
                     out);
  return out;
}

}  // namespace glass
