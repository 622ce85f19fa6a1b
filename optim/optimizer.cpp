#include "optim/optimizer.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace glass {

namespace {

bool same_leaf(const Var& a, const Var& b) { return a.node().get() == b.node().get(); }

void check_lr(const char* op, double lr) {
  if (!(lr >= 0 && std::isfinite(lr)))
    fail(op, "a learning rate must be finite and not negative", "got ", lr);
}

}  // namespace

void Optimizer::add_group(const std::vector<Var>& params, double lr,
                          std::vector<std::string> state_names) {
  check_lr(op_, lr);
  const size_t group = lr_.size();
  for (size_t i = 0; i < params.size(); ++i) {
    const Var& param = params[i];
    if (!param.defined()) fail(op_, "a parameter is undefined", "number ", i);
    if (!param.requires_grad()) continue;  // frozen
    if (!param.is_leaf()) fail(op_, "a parameter is no leaf", "number ", i, ", ", param.shape());
    const auto found = std::find_if(slots_.begin(), slots_.end(),
                                    [&](const Slot& s) { return same_leaf(s.param, param); });
    if (found == slots_.end())
      slots_.push_back({param, group, 0, {}});
    else if (found->group != group)
      fail(op_, "a parameter is in two groups", "number ", i, ", ", param.shape());
  }
  lr_.push_back(lr);
  state_names_.push_back(std::move(state_names));
}

void Optimizer::step() {
  const NoGrad no_grad;
  for (Slot& slot : slots_) {
    const Var gradient = slot.param.grad();
    if (!gradient.defined()) continue;
    const Tensor& value = slot.param.value();
    if (slot.state.empty())
      for (size_t i = 0; i < state_names_[slot.group].size(); ++i)
        slot.state.push_back(Tensor::zeros(value.shape(), value.dtype()));
    ++slot.steps;
    const Tensor dense = value.contiguous();
    update(slot, dense, gradient.value().contiguous(), lr_[slot.group]);
    if (value.is_contiguous())
      value.bump_version();
    else
      value.copy_(dense);
  }
}

void Optimizer::zero_grad() {
  for (const Slot& slot : slots_) slot.param.zero_grad();
}

void Optimizer::set_lr(double lr) {
  for (size_t group = 0; group < lr_.size(); ++group) set_lr(lr, group);
}

void Optimizer::set_lr(double lr, size_t group) {
  check_lr(op_, lr);
  lr_.at(group) = lr;
}

NamedTensors Optimizer::state_dict() const {
  NamedTensors all;
  all.add("lr", Tensor::from(lr_, {static_cast<int64_t>(lr_.size())}));
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const std::string prefix = std::to_string(i) + ".";
    all.add(prefix + "step", Tensor::from<int64_t>({slot.steps}, {}));
    for (size_t k = 0; k < slot.state.size(); ++k)
      all.add(prefix + state_names_[slot.group][k], slot.state[k]);
  }
  return all;
}

void Optimizer::load_state_dict(const NamedTensors& state) {
  std::string wrong;
  std::set<std::string> used;
  const auto complain = [&](const std::string& what) {
    wrong += (wrong.empty() ? "" : "; ") + what;
  };
  const auto take = [&](const std::string& name, const Shape& shape, DType dtype) -> Tensor {
    used.insert(name);
    const Tensor* found = state.find(name);
    if (!found || !found->defined()) {
      complain("missing: " + name);
    } else if (!(found->shape() == shape) || found->dtype() != dtype) {
      complain(text("wrong shape or type: ", name, " is ", found->shape(), " ", found->dtype(),
                    ", needs ", shape, " ", dtype));
    } else {
      return found->clone();
    }
    return {};
  };

  const Tensor lr = take("lr", {static_cast<int64_t>(lr_.size())}, kFloat64);
  std::vector<Slot> slots = slots_;
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    const std::string prefix = std::to_string(i) + ".";
    const Tensor steps = take(prefix + "step", {}, kInt64);
    slot.steps = steps.defined() ? steps.data<int64_t>()[0] : 0;
    slot.state.clear();
    if (slot.steps < 0) complain(text("negative: ", prefix, "step ", slot.steps));
    if (slot.steps <= 0) continue;
    for (const std::string& name : state_names_[slot.group])
      slot.state.push_back(take(prefix + name, slot.param.shape(), slot.param.dtype()));
  }
  for (const auto& [name, tensor] : state.tensors)
    if (used.count(name) == 0) complain("surplus: " + name);
  if (lr.defined())
    for (const double value : lr.to_vector<double>())
      if (!(value >= 0 && std::isfinite(value))) complain(text("no learning rate: ", value));
  if (!wrong.empty()) fail(op_, "the state does not fit this optimiser", wrong);
  lr_ = lr.to_vector<double>();
  slots_ = std::move(slots);
}

}  // namespace glass
