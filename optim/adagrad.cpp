#include "optim/adagrad.h"

#include "tensor/ops.h"

namespace glass {

Adagrad::Adagrad(const std::vector<ParamGroup<AdagradOptions>>& groups) : Optimizer("Adagrad") {
  for (const auto& [params, o] : groups) {
    if (!(o.lr_decay >= 0)) fail("Adagrad", "lr_decay must not be negative", o.lr_decay);
    if (!(o.initial_accumulator_value >= 0))
      fail("Adagrad", "initial_accumulator_value must not be negative",
           o.initial_accumulator_value);
    if (!(o.eps >= 0)) fail("Adagrad", "eps must not be negative", o.eps);
    if (!(o.weight_decay >= 0))
      fail("Adagrad", "weight_decay must not be negative", o.weight_decay);
    options_.push_back(o);
    add_group(params, o.lr, {"sum"});
  }
}

void Adagrad::update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) {
  const AdagradOptions& o = options_[slot.group];
  const Tensor& sum = slot.state[0];
  if (slot.steps == 1) sum.fill_(o.initial_accumulator_value);
  const Tensor eps = Tensor::scalar(o.eps, param.dtype());
  Tensor g = o.maximize ? grad * -1.0 : grad;
  if (o.weight_decay != 0) g = g + param * o.weight_decay;
  sum.add_(g * g);
  const double rate = lr / (1 + static_cast<double>(slot.steps - 1) * o.lr_decay);
  param.add_(g / (sqrt(sum) + eps), -rate);
}

Adadelta::Adadelta(const std::vector<ParamGroup<AdadeltaOptions>>& groups) : Optimizer("Adadelta") {
  for (const auto& [params, o] : groups) {
    if (!(o.rho >= 0 && o.rho <= 1)) fail("Adadelta", "rho must be in [0, 1]", o.rho);
    if (!(o.eps >= 0)) fail("Adadelta", "eps must not be negative", o.eps);
    if (!(o.weight_decay >= 0))
      fail("Adadelta", "weight_decay must not be negative", o.weight_decay);
    options_.push_back(o);
    add_group(params, o.lr, {"square_avg", "acc_delta"});
  }
}

void Adadelta::update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) {
  const AdadeltaOptions& o = options_[slot.group];
  const Tensor &square_avg = slot.state[0], &acc_delta = slot.state[1];
  const Tensor eps = Tensor::scalar(o.eps, param.dtype());
  Tensor g = o.maximize ? grad * -1.0 : grad;
  if (o.weight_decay != 0) g = g + param * o.weight_decay;
  square_avg.mul_(o.rho).add_(g * g, 1 - o.rho);
  const Tensor delta = sqrt(acc_delta + eps) / sqrt(square_avg + eps) * g;
  acc_delta.mul_(o.rho).add_(delta * delta, 1 - o.rho);
  param.add_(delta, -lr);
}

}  // namespace glass
