#include "nn/mask.h"

#include <algorithm>

#include "autograd/ops/comparison.h"

namespace glass {

Mask Mask::from_lengths(const std::vector<int64_t>& lengths, int64_t max_length) {
  const int64_t rows = static_cast<int64_t>(lengths.size());
  const Tensor allowed = Tensor::zeros({rows, max_length}, kBool);
  bool* row = allowed.data<bool>();
  for (int64_t b = 0; b < rows; ++b, row += max_length) {
    const int64_t n = lengths[static_cast<size_t>(b)];
    if (n < 0 || n > max_length)
      fail("Mask", "a length is out of range", n, " in row ", b, ", must be in 0 … ", max_length);
    std::fill_n(row, n, true);
  }
  return Mask(allowed);
}

Mask Mask::where_true_may_attend(const Tensor& allowed) {
  if (allowed.dtype() != kBool)
    fail("Mask", "needs bool, true = may be attended to", "got ", name_of(allowed.dtype()));
  if (allowed.ndim() != 2) fail("Mask", "must be [B, S]", allowed.shape());
  return Mask(allowed.clone());
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  if (!(a.allowed_.shape() == b.allowed_.shape()))
    fail("Mask", "masks of different shapes", a.allowed_.shape(), " & ", b.allowed_.shape());
  return Mask(logical_and(Var(a.allowed_), Var(b.allowed_)).value());
}

}  // namespace glass
