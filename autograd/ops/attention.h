#pragma once

#include <array>

#include "autograd/var.h"

// allowed: bool, true = may be attended to; undefined: all. What is not allowed is never read (it
// may hold NaN), and gets weight and gradient 0. A row with nothing allowed gets weights, context
// and gradients 0. Layers take a Mask instead: nn/mask.h.
namespace glass {

/// softmax over the last dim among what is allowed; allowed broadcasts to the shape of scores.
Var masked_softmax(In scores, const Tensor& allowed);

/// Additive attention (Bahdanau et al. 2014): e = vᵀ·tanh(query + key), weights = softmax(e),
/// context = weights·values. query [B, A] or [B, T, A], already projected, as keys [B, S, A];
/// v [A]; values [B, S, K]; allowed [B, S]. Returns context [B, K] or [B, T, K] and weights [B, S]
/// or [B, T, S].
std::array<Var, 2> additive_attention(In query, In keys, In v, In values, const Tensor& allowed);

}  // namespace glass
