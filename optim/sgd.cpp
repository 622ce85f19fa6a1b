#include "optim/sgd.h"

#include "tensor/kernels.h"

namespace glass {

SGD::SGD(const std::vector<ParamGroup<SgdOptions>>& groups) : Optimizer("SGD") {
  for (const auto& [params, options] : groups) {
    if (!(options.momentum >= 0)) fail("SGD", "momentum must not be negative", options.momentum);
    if (!(options.weight_decay >= 0))
      fail("SGD", "weight_decay must not be negative", options.weight_decay);
    if (options.nesterov && (options.momentum == 0 || options.dampening != 0))
      fail("SGD", "Nesterov needs momentum and no dampening", options.momentum, " and ",
           options.dampening);
    options_.push_back(options);
    add_group(params, options.lr,
              options.momentum != 0 ? std::vector<std::string>{"momentum_buffer"}
                                    : std::vector<std::string>{});
  }
}

void SGD::update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) {
  const SgdOptions& o = options_[slot.group];
  kernels(param).sgd_step({.param = param,
                           .grad = grad,
                           .momentum_buffer = slot.state.empty() ? Tensor() : slot.state[0],
                           .lr = lr,
                           .weight_decay = o.weight_decay,
                           .momentum = o.momentum,
                           .keep = slot.steps == 1 ? 1 : 1 - o.dampening,
                           .nesterov = o.nesterov,
                           .maximize = o.maximize});
}

}  // namespace glass
