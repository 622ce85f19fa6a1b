#include "optim/moving_average.h"

#include <algorithm>

namespace glass {
namespace {

constexpr const char* kOp = "MovingAverage";

}  // namespace

MovingAverage::MovingAverage(const std::vector<Var>& params, double decay) : decay_(decay) {
  if (!(decay >= 0 && decay < 1)) fail(kOp, "decay must be in [0, 1)", "got ", decay);
  for (const Var& param : params) {
    const auto same = [&](const Var& p) { return p.node().get() == param.node().get(); };
    if (!param.requires_grad() || std::any_of(params_.begin(), params_.end(), same)) continue;
    params_.push_back(param);
    averages_.push_back(param.value().clone());
  }
}

void MovingAverage::update() {
  const NoGrad no_grad;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double d = std::min(decay_, (1 + t) / (10 + t));
  for (size_t i = 0; i < params_.size(); ++i) averages_[i].mul_(d).add_(params_[i].value(), 1 - d);
}

void MovingAverage::swap() {
  const NoGrad no_grad;
  for (size_t i = 0; i < params_.size(); ++i) {
    const Tensor value = params_[i].value().clone();
    params_[i].value().copy_(averages_[i]);
    averages_[i].copy_(value);
  }
}

NamedTensors MovingAverage::state_dict() const {
  NamedTensors all;
  all.add("steps", Tensor::from<int64_t>({steps_}, {}));
  for (size_t i = 0; i < averages_.size(); ++i) all.add(std::to_string(i), averages_[i]);
  return all;
}

void MovingAverage::load_state_dict(const NamedTensors& state) {
  const NamedTensors own = state_dict();
  if (state.tensors.size() != own.tensors.size())
    fail(kOp, "the state does not fit these parameters", state.tensors.size(), " tensors, needs ",
         own.tensors.size());
  for (const auto& [name, tensor] : own.tensors) {
    const Tensor& given = state.at(name);
    if (!(given.shape() == tensor.shape()) || given.dtype() != tensor.dtype())
      fail(kOp, "wrong shape or type", name, " is ", given.shape(), " ", given.dtype(), ", needs ",
           tensor.shape(), " ", tensor.dtype());
  }
  const int64_t steps = state.at("steps").data<int64_t>()[0];
  if (steps < 0) fail(kOp, "steps must be at least 0", steps);
  steps_ = steps;
  for (size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(state.at(std::to_string(i)));
}

}  // namespace glass
