#pragma once

#include "nn/attention/attention.h"

namespace glass {

/// Self-attentive pooling (Lin et al. 2017, equations 5 to 7): states H [B, S, D] of any length
/// become r sums of them, each by weights of its own:
///   A = softmax(W_s2·tanh(W_s1·Hᵀ)),  M = A·H
/// The rows of W_s2 are the queries of a dot-score attention to tanh(W_s1·h).
class SelfAttentivePooling : public Module {
 public:
  /// attention_size: rows of W_s1; hops: r.
  SelfAttentivePooling(int64_t state_size, int64_t attention_size, int64_t hops,
                       Generator& generator);
  void visit(Visitor& v) override;

  struct Output {
    Var pooled;   ///< M, its rows one after the other: [B, r·D]
    Var weights;  ///< A: [B, r, S]
  };
  Output operator()(const Var& states, const Mask& mask = {}) const;

  Linear squash;        ///< W_s1
  Var hops;             ///< W_s2: [r, attention_size]
  Attention attention;  ///< without parameters
};

/// Mean over the batch of ‖A·Aᵀ - I‖²_F (equation 8): hops that look at different places, each at
/// few. weights [B, r, S].
Var hop_penalty(const Var& weights);

}  // namespace glass
