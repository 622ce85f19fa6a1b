#pragma once

#include "optim/optimizer.h"

namespace glass {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;      ///< the rate is divided by 1 + (t - 1)·lr_decay
  double weight_decay = 0;  ///< λ: adds λ·p to the gradient
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
};

/// Duchi, Hazan and Singer 2011:
///   g = ∇ + λ·p;  s = s + g²;  p -= lr / (1 + (t - 1)·lr_decay)·g / (√s + ε)
class Adagrad final : public Optimizer {
 public:
  explicit Adagrad(const std::vector<Var>& params, const AdagradOptions& options = {})
      : Adagrad(std::vector<ParamGroup<AdagradOptions>>{{params, options}}) {}
  explicit Adagrad(const std::vector<ParamGroup<AdagradOptions>>& groups);

 private:
  void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) override;
  std::vector<AdagradOptions> options_;  // per group
};

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;  ///< how much of the running averages is kept
  double eps = 1e-6;
  double weight_decay = 0;  ///< λ: adds λ·p to the gradient
  bool maximize = false;
};

/// Zeiler 2012:
///   g = ∇ + λ·p;  v = ρ·v + (1 - ρ)·g²;  d = √((u + ε) / (v + ε))·g;  u = ρ·u + (1 - ρ)·d²
///   p -= lr·d
class Adadelta final : public Optimizer {
 public:
  explicit Adadelta(const std::vector<Var>& params, const AdadeltaOptions& options = {})
      : Adadelta(std::vector<ParamGroup<AdadeltaOptions>>{{params, options}}) {}
  explicit Adadelta(const std::vector<ParamGroup<AdadeltaOptions>>& groups);

 private:
  void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) override;
  std::vector<AdadeltaOptions> options_;  // per group
};

}  // namespace glass
