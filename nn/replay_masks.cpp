#include "nn/replay_masks.h"

#include "autograd/autograd.h"

namespace glass {

ReplayMasks read_masks(Replay& r, int64_t num_heads, const std::string& pairs,
                       const std::string& keys) {
  ReplayMasks read;
  const auto by_head = [&](Var x) {  // [B·H, T, S] to [B, H, T, S]
    if (x.ndim() != 3) return x;
    return reshape(x, {x.size(0) / num_heads, num_heads, x.size(1), x.size(2)});
  };
  if (const Var x = r.maybe(pairs); x.defined()) {
    if (x.dtype() == kBool)
      read.mask = Mask::where_true_query_may_attend(logical_not(by_head(x)).value());
    else
      read.bias = by_head(x);
  }
  if (const Var x = r.maybe(keys); x.defined()) {
    const Var two = x.ndim() == 1 ? unsqueeze(x, 0) : x;
    if (x.dtype() == kBool) {
      read.mask = read.mask & Mask::where_true_may_attend(logical_not(two).value());
    } else {
      const Var wide = unsqueeze(unsqueeze(two, 1), 1);
      read.bias = read.bias.defined() ? read.bias + wide : wide;
    }
  }
  return read;
}

}  // namespace glass
