#pragma once

#include "optim/optimizer.h"

namespace glass {

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0, dampening = 0;
  double weight_decay = 0;  ///< λ: adds λ·p to the gradient
  bool nesterov = false;
  bool maximize = false;
};

/// g = ∇ + λ·p;  m = momentum·m + (1 - dampening)·g (first: m = g);  p -= lr·m, or with Nesterov
/// p -= lr·(g + momentum·m).
class SGD final : public Optimizer {
 public:
  explicit SGD(const std::vector<Var>& params, const SgdOptions& options = {})
      : SGD(std::vector<ParamGroup<SgdOptions>>{{params, options}}) {}
  explicit SGD(const std::vector<ParamGroup<SgdOptions>>& groups);

 private:
  void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) override;
  std::vector<SgdOptions> options_;  // per group
};

}  // namespace glass
