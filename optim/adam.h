#pragma once

#include <array>

#include "optim/optimizer.h"

namespace glass {

struct AdamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;  ///< λ: adds λ·p to the gradient
  bool amsgrad = false;     ///< divide by the largest v so far (Reddi, Kale and Kumar 2018)
  bool maximize = false;
};

/// Kingma and Ba 2014:
///   g = ∇ + λ·p;  m = β₁·m + (1 - β₁)·g;  v = β₂·v + (1 - β₂)·g²
///   p -= lr·(m / (1 - β₁ᵗ)) / (√(v / (1 - β₂ᵗ)) + ε)
class Adam : public Optimizer {
 public:
  explicit Adam(const std::vector<Var>& params, const AdamOptions& options = {})
      : Adam(std::vector<ParamGroup<AdamOptions>>{{params, options}}) {}
  explicit Adam(const std::vector<ParamGroup<AdamOptions>>& groups) : Adam("Adam", groups, false) {}

 protected:
  /// decoupled: λ shrinks the parameter instead of entering the gradient.
  Adam(const char* op, const std::vector<ParamGroup<AdamOptions>>& groups, bool decoupled);

 private:
  void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) final;
  std::vector<AdamOptions> options_;  // per group
  bool decoupled_;
};

/// AdamOptions with another default.
struct AdamWOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;  ///< λ: p *= 1 - lr·λ before the step
  bool amsgrad = false;
  bool maximize = false;
};

/// Adam with weight decay that bypasses m and v (Loshchilov and Hutter 2017).
class AdamW final : public Adam {
 public:
  explicit AdamW(const std::vector<Var>& params, const AdamWOptions& options = {})
      : AdamW(std::vector<ParamGroup<AdamWOptions>>{{params, options}}) {}
  explicit AdamW(const std::vector<ParamGroup<AdamWOptions>>& groups);
};

}  // namespace glass
