#include "optim/adam.h"

#include <cmath>

#include "tensor/kernels.h"

namespace glass {

Adam::Adam(const char* op, const std::vector<ParamGroup<AdamOptions>>& groups, bool decoupled)
    : Optimizer(op), decoupled_(decoupled) {
  for (const auto& [params, options] : groups) {
    for (const double beta : options.betas)
      if (!(beta >= 0 && beta < 1)) fail(op, "betas must be in [0, 1)", "got ", beta);
    if (!(options.eps >= 0)) fail(op, "eps must not be negative", options.eps);
    if (!(options.weight_decay >= 0))
      fail(op, "weight_decay must not be negative", options.weight_decay);
    options_.push_back(options);
    std::vector<std::string> names{"exp_avg", "exp_avg_sq"};
    if (options.amsgrad) names.push_back("max_exp_avg_sq");
    add_group(params, options.lr, names);
  }
}

void Adam::update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) {
  const AdamOptions& o = options_[slot.group];
  const double steps = static_cast<double>(slot.steps);
  const double correction1 = 1 - std::pow(o.betas[0], steps);
  const double correction2 = 1 - std::pow(o.betas[1], steps);
  kernels(param).adam_step({.param = param,
                            .grad = grad,
                            .m = slot.state[0],
                            .v = slot.state[1],
                            .max_v = o.amsgrad ? slot.state[2] : Tensor(),
                            .step_size = lr / correction1,
                            .root_scale = 1 / std::sqrt(correction2),
                            .shrink = decoupled_ ? 1 - lr * o.weight_decay : 1,
                            .weight_decay = decoupled_ ? 0 : o.weight_decay,
                            .beta1 = o.betas[0],
                            .beta2 = o.betas[1],
                            .eps = o.eps,
                            .maximize = o.maximize});
}

static std::vector<ParamGroup<AdamOptions>> as_adam(
    const std::vector<ParamGroup<AdamWOptions>>& groups) {
  std::vector<ParamGroup<AdamOptions>> all;
  for (const auto& [params, o] : groups)
    all.push_back({params, {o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad, o.maximize}});
  return all;
}

AdamW::AdamW(const std::vector<ParamGroup<AdamWOptions>>& groups)
    : Adam("AdamW", as_adam(groups), true) {}

}  // namespace glass
