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

void prepare_replay(Replay& r, Module& module) {
  DType dtype = kFloat64;
  for (const auto& [name, input] : r.inputs)
    if (is_floating(input.dtype())) dtype = input.dtype();
  NamedTensors state;
  for (const auto& [name, tensor] : r.state) {
    if (is_floating(tensor.dtype())) dtype = tensor.dtype();
    state.add(name, tensor);
  }
  module.to(dtype);
  module.load_state_dict(state);
  module.train(r.training);
  for (const auto& [name, parameter] : module.named_parameters()) r.parameters[name] = parameter;
}

}  // namespace glass
