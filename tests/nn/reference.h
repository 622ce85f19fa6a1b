#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "nn/module.h"
#include "tensor/safetensors.h"

// Replays values that PyTorch computed (format: README.md of the reference folder).
namespace glass::tests {

/// The cases of one op, e.g. "nn.LSTM", from the folder that GLASS_REFERENCE names or the usual
/// one; marks the test as skipped and returns none where it is absent.
std::vector<NamedTensors> reference_cases(const std::string& op);

/// A number, or true or false, of the case's constructor arguments; fallback when it is absent.
double argument(const NamedTensors& c, const std::string& name, double fallback);

/// An input of the case as a leaf; undefined when it has none of that name.
Var input(const NamedTensors& c, const std::string& name);

/// Gives the module the parameters of the case, as leaves.
void load_parameters(const NamedTensors& c, Module& module);

/// Compares outputs, gradients (also under create_graph) and, where the case has them, second
/// gradients. inputs: names as in the case, "input" or "param.weight". Returns "" or what differs
/// first.
std::string replay(const NamedTensors& c, const std::vector<Var>& outputs,
                   const std::vector<std::pair<std::string, Var>>& inputs);

/// The same with the module's parameters as further inputs.
std::string replay(const NamedTensors& c, const std::vector<Var>& outputs,
                   std::vector<std::pair<std::string, Var>> inputs, Module& module);

}  // namespace glass::tests
