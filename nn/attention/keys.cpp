#include "autograd/ops/window.h"
#include "nn/attention/attention.h"
#include "tensor/ops.h"

namespace glass {

Var AttentionWeights::dense() const {
  const Var all = start.defined() ? window_dense(values, start, keys) : values;
  return reshape(all, {all.size(0) / heads, heads, all.size(1), all.size(2)});
}

Var AttentionWeights::mass() const {
  return reshape(sum(values, {2}), {values.size(0) / heads, heads, values.size(1)});
}

Keys Keys::rows(const Tensor& index) const {
  const int64_t count = index.numel(), S = size();
  const int64_t H = heads;
  const auto take = [&](const Var& x) {
    if (!x.defined()) return x;
    const int64_t B = x.size(0) / H, F = x.size(2);
    return reshape(index_select(reshape(x, {B, H, S, F}), 0, Var(index)), {count * H, S, F});
  };
  Keys y{take(values), take(projected), take(chunk), mask.rows(index), {}, {}, heads};
  const std::vector<int64_t> chosen = index.to_vector<int64_t>();
  for (const int64_t b : chosen)
    for (int64_t h = 0; h < H; ++h) y.counts.push_back(counts[static_cast<size_t>(b * H + h)]);
  if (expected.defined())
    y.expected =
        index_select(expected.reshape({expected.numel() / H, H}), 0, index).reshape({count * H});
  return y;
}

Keys Keys::followed_by(const Keys& more) const {
  if (mask.pairs().defined() || more.mask.pairs().defined())
    fail("Keys", "keys with a mask of pairs cannot be joined", values.shape(), " and ",
         more.values.shape());
  Keys y = *this;
  y.values = cat({values, more.values}, 1);
  y.projected = cat({projected, more.projected}, 1);
  if (chunk.defined()) y.chunk = cat({chunk, more.chunk}, 1);
  const int64_t B = values.size(0) / heads;
  const auto may = [&](const Keys& keys) {
    return keys.mask.all() ? Tensor::ones({B, keys.size()}, kBool) : keys.mask.keys();
  };
  if (!mask.all() || !more.mask.all()) {
    const Tensor both[] = {may(*this), may(more)};
    y.mask = Mask::where_true_may_attend(cat(both, 1));
  }
  for (size_t n = 0; n < counts.size(); ++n) y.counts[n] += more.counts[n];
  return y;
}

AttentionState AttentionState::rows(const Tensor& index) const {
  const auto take = [&](const Var& x) { return x.defined() ? index_select(x, 0, Var(index)) : x; };
  return {step, take(previous), take(coverage)};
}

}  // namespace glass
