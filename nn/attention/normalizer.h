#pragma once

#include "nn/attention/slots.h"
#include "nn/mask.h"
#include "nn/module.h"

// From scores [N, T, S] to weights. allowed: bool, broadcasting to the scores, or undefined. N =
// batch · heads.
namespace glass {

/// Weights where one key was chosen.
struct Chosen {
  Var weights;          ///< [N, T, S]: one 1 a row, or, where the expectation is used, α
  Var log_probability;  ///< [N, T]: log α of the drawn key; 0 where the expectation is used
  Var entropy;          ///< [N, T]: -Σ α·log α
};
/// expected [N] bool or undefined: rows that use α itself (reinforce). A row without any key: 0.
Chosen hard_weights(const Var& scores, const Tensor& allowed, const HardNormalizer& hard,
                    bool training, const Tensor& expected, Generator& generator);

/// Raffel et al. 2017: see MonotonicNormalizer. previous [N, S]: the alignment of the last query,
/// or undefined at the first, which starts at key 0. r: 0-d.
Var monotonic_weights(const Var& scores, const Tensor& allowed, const Var& previous, const Var& r,
                      const MonotonicNormalizer& options, bool training, Generator& generator);
/// α_t = p_t·c_t·Σ_k≤j α_t-1,k/c_tk with c the product of 1 - p of the keys before (Raffel et al.
/// 2017, appendix C): underflows on long inputs.
Var parallel_monotonic_attention(const Var& p, const Var& previous);

/// Chiu and Raffel 2018: alignment [N, T, S] spread over the chunk keys that end where it is, by a
/// softmax of scores.
Var chunkwise_weights(const Var& alignment, const Var& scores, const Tensor& allowed,
                      int64_t chunk);

}  // namespace glass
