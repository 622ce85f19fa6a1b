#include "nn/samples.h"

namespace glass {
namespace {

struct Bind : Visitor {
  Bind(const Vars& from, size_t first) : inputs(from), next(first) {}
  void parameter(std::string_view name, Var& value) override {
    if (next >= inputs.size() || !(inputs[next].shape() == value.shape()))
      fail_bug("sample", "inputs do not fit the parameters", "at ", name, ", ", value.shape());
    value = inputs[next++];
  }
  void module(std::string_view, Module& child) override { child.visit(*this); }

  const Vars& inputs;
  size_t next;
};

}  // namespace

void bind_parameters(Module& module, const Vars& inputs, size_t first) {
  Bind bind(inputs, first);
  module.visit(bind);
}

std::vector<Input> parameter_inputs(Module& module, double range) {
  std::vector<Input> inputs;
  for (const auto& [name, value] : module.named_parameters())
    inputs.push_back({value.shape(), -range, range});
  return inputs;
}

}  // namespace glass
