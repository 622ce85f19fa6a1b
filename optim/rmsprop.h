#pragma once

#include "optim/optimizer.h"

namespace glass {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;  ///< how much of the running average of g² is kept
  double eps = 1e-8;
  double weight_decay = 0;  ///< λ: adds λ·p to the gradient
  double momentum = 0;
  bool centered = false;  ///< divide by the standard deviation instead (Graves 2013)
  bool maximize = false;
};

/// Tieleman and Hinton 2012:
///   g = ∇ + λ·p;  v = α·v + (1 - α)·g²;  centered: a = α·a + (1 - α)·g, v - a² for v below
///   m = momentum·m + g / (√v + ε);  p -= lr·m
class RMSprop final : public Optimizer {
 public:
  explicit RMSprop(const std::vector<Var>& params, const RMSpropOptions& options = {})
      : RMSprop(std::vector<ParamGroup<RMSpropOptions>>{{params, options}}) {}
  explicit RMSprop(const std::vector<ParamGroup<RMSpropOptions>>& groups);

 private:
  void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) override;
  std::vector<RMSpropOptions> options_;  // per group
};

}  // namespace glass
