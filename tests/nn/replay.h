#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "nn/module.h"
#include "tests/reference.h"

// Replays values that PyTorch computed.
namespace glass::tests {

/// An input of the case as a leaf; undefined when it has none of that name.
Var input(const ReferenceCase& c, const std::string& name);

/// Gives the module the parameters of the case, as leaves.
void load_parameters(const ReferenceCase& c, Module& module);

/// Compares outputs, gradients (also under create_graph) and, where the case has them, second
/// gradients. inputs: names as in the case, "input" or "param.weight". Returns "" or what differs
/// first.
std::string replay(const ReferenceCase& c, const std::vector<Var>& outputs,
                   const std::vector<std::pair<std::string, Var>>& inputs);

/// The same with the module's parameters as further inputs.
std::string replay(const ReferenceCase& c, const std::vector<Var>& outputs,
                   std::vector<std::pair<std::string, Var>> inputs, Module& module);

}  // namespace glass::tests
