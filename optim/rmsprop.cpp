#include "optim/rmsprop.h"

#include "tensor/ops.h"

namespace glass {

RMSprop::RMSprop(const std::vector<ParamGroup<RMSpropOptions>>& groups) : Optimizer("RMSprop") {
  for (const auto& [params, o] : groups) {
    if (!(o.alpha >= 0)) fail("RMSprop", "alpha must not be negative", o.alpha);
    if (!(o.eps >= 0)) fail("RMSprop", "eps must not be negative", o.eps);
    if (!(o.momentum >= 0)) fail("RMSprop", "momentum must not be negative", o.momentum);
    if (!(o.weight_decay >= 0))
      fail("RMSprop", "weight_decay must not be negative", o.weight_decay);
    options_.push_back(o);
    std::vector<std::string> names{"square_avg"};
    if (o.momentum > 0) names.push_back("momentum_buffer");
    if (o.centered) names.push_back("grad_avg");
    add_group(params, o.lr, names);
  }
}

void RMSprop::update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) {
  const RMSpropOptions& o = options_[slot.group];
  const Tensor& square_avg = slot.state[0];
  const Tensor eps = Tensor::scalar(o.eps, param.dtype());
  Tensor g = o.maximize ? grad * -1.0 : grad;
  if (o.weight_decay != 0) g = g + param * o.weight_decay;
  square_avg.mul_(o.alpha).add_(g * g, 1 - o.alpha);
  Tensor spread = square_avg;
  if (o.centered) {
    const Tensor& grad_avg = slot.state.back();
    grad_avg.mul_(o.alpha).add_(g, 1 - o.alpha);
    spread = square_avg - grad_avg * grad_avg;
  }
  const Tensor direction = g / (sqrt(spread) + eps);
  if (o.momentum > 0) {
    const Tensor& buffer = slot.state[1];
    buffer.mul_(o.momentum).add_(direction);
    param.add_(buffer, -lr);
  } else {
    param.add_(direction, -lr);
  }
}

}  // namespace glass
