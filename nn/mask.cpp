#include "nn/mask.h"

#include <algorithm>

#include "autograd/ops/attention.h"
#include "autograd/ops/comparison.h"
#include "tensor/ops.h"

namespace glass {
namespace {

void check_bool(const Tensor& allowed) {
  if (allowed.dtype() != kBool)
    fail("Mask", "needs bool, true = may be attended to", "got ", name_of(allowed.dtype()));
}

Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  return logical_and(Var(a), Var(b)).value();
}

}  // namespace

Mask Mask::from_lengths(const std::vector<int64_t>& lengths, int64_t max_length) {
  const int64_t rows = static_cast<int64_t>(lengths.size());
  Mask mask;
  mask.keys_ = Tensor::zeros({rows, max_length}, kBool);
  bool* row = mask.keys_.data<bool>();
  for (int64_t b = 0; b < rows; ++b, row += max_length) {
    const int64_t n = lengths[static_cast<size_t>(b)];
    if (n < 0 || n > max_length)
      fail("Mask", "a length is out of range", n, " in row ", b, ", must be in 0 … ", max_length);
    std::fill_n(row, n, true);
  }
  return mask;
}

Mask Mask::where_true_may_attend(const Tensor& allowed) {
  check_bool(allowed);
  if (allowed.ndim() != 2) fail("Mask", "must be [B, S]", allowed.shape());
  Mask mask;
  mask.keys_ = allowed.clone();
  return mask;
}

Mask Mask::where_true_query_may_attend(const Tensor& allowed) {
  check_bool(allowed);
  if (allowed.ndim() < 2 || allowed.ndim() > 4)
    fail("Mask", "must be [T, S], [B, T, S] or [B, H, T, S]", allowed.shape());
  Mask mask;
  mask.pairs_ = allowed.clone();
  return mask;
}

Mask Mask::causal(int64_t T, int64_t S) {
  if (T < 0 || S < 0) fail("Mask", "sizes must not be negative", T, " queries, ", S, " keys");
  Mask mask;
  mask.pairs_ = Tensor::zeros({T, S}, kBool);
  bool* row = mask.pairs_.data<bool>();
  for (int64_t i = 0; i < T; ++i, row += S)
    std::fill_n(row, std::clamp<int64_t>(i + 1 + S - T, 0, S), true);
  return mask;
}

Tensor Mask::for_scores(const Shape& scores) const {
  Tensor keys = keys_, pairs = pairs_;
  if (keys.defined())
    while (keys.ndim() < scores.size()) keys = keys.unsqueeze(1);
  if (pairs.defined() && pairs.ndim() == 3 && scores.size() == 4) pairs = pairs.unsqueeze(1);
  for (const Tensor& part : {keys, pairs}) {
    if (!part.defined()) continue;
    bool fits = part.ndim() <= scores.size();
    for (int i = 1; fits && i <= part.ndim(); ++i) {
      const int64_t n = part.size(-i);
      fits = n == scores[scores.size() - i] || n == 1;
    }
    if (!fits)
      fail("Mask", "does not fit the scores", (keys_.defined() ? keys_ : pairs_).shape(), " for ",
           scores);
  }
  return both(keys, pairs);
}

Mask Mask::rows(const Tensor& index) const {
  Mask mask = *this;
  if (keys_.defined()) mask.keys_ = index_select(keys_, 0, index);
  if (pairs_.defined() && pairs_.ndim() > 2) mask.pairs_ = index_select(pairs_, 0, index);
  return mask;
}

Mask Mask::queries(int64_t first, int64_t count) const {
  Mask mask = *this;
  if (pairs_.defined() && pairs_.size(-2) != 1) mask.pairs_ = pairs_.narrow(-2, first, count);
  return mask;
}

Mask operator&(const Mask& a, const Mask& b) {
  const auto differ = [](const Tensor& x, const Tensor& y) {
    return x.defined() && y.defined() && x.ndim() == y.ndim() && !(x.shape() == y.shape());
  };
  for (const auto& [x, y] : {std::pair{a.keys_, b.keys_}, {a.pairs_, b.pairs_}})
    if (differ(x, y)) fail("Mask", "masks of different shapes", x.shape(), " & ", y.shape());
  const auto widened = [](const Tensor& x, const Tensor& other) {
    const bool heads = x.defined() && other.defined() && x.ndim() == 3 && other.ndim() == 4;
    return heads ? x.unsqueeze(1) : x;
  };
  Mask mask;
  mask.keys_ = both(a.keys_, b.keys_);
  mask.pairs_ = both(widened(a.pairs_, b.pairs_), widened(b.pairs_, a.pairs_));
  return mask;
}

Var masked_softmax(In scores, const Mask& mask) {
  return masked_softmax(scores, mask.for_scores(scores->shape()));
}

}  // namespace glass
