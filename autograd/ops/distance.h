#pragma once

#include "autograd/ops/cross_entropy.h"

namespace glass {

/// Σ (x1/|x1|)·(x2/|x2|) along dim, norms being at least eps; x1 and x2 broadcast.
Var cosine_similarity(In x1, In x2, int64_t dim = 1, double eps = 1e-8);

// Losses over pairs. target: 1 or -1, real or int64; it broadcasts to the losses.
/// max(0, -target·(input1 - input2) + margin).
Var margin_ranking_loss(In input1, In input2, const Var& target, double margin = 0,
                        LossReduction reduction = LossReduction::mean);
/// 1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1; along the last
/// axis of input1 and input2, [N, D] or [D].
Var cosine_embedding_loss(In input1, In input2, const Var& target, double margin = 0,
                          LossReduction reduction = LossReduction::mean);

struct TripletOptions {
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;  ///< the distance of positive and negative counts where it is smaller
  LossReduction reduction = LossReduction::mean;
};
/// max(0, margin + d(anchor, positive) - d(anchor, negative)), d the p-norm of the difference + eps
/// along the last axis.
Var triplet_margin_loss(In anchor, In positive, In negative, const TripletOptions& options = {});

}  // namespace glass
