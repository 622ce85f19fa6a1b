#pragma once

#include "autograd/replay.h"
#include "nn/mask.h"

namespace glass {

/// Masks as PyTorch's calls have them: bool, true = hidden, or floats that are added to the scores.
struct ReplayMasks {
  Mask mask;
  Var bias;
};

/// pairs: the input with the mask [T, S] or [B·num_heads, T, S]; keys: that with [B, S] or [S].
ReplayMasks read_masks(Replay& replay, int64_t num_heads, const std::string& pairs,
                       const std::string& keys);

}  // namespace glass
