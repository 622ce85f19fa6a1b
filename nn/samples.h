#pragma once

#include "autograd/registry.h"
#include "nn/module.h"

// What the tables of nn/ are written with.
namespace glass {

/// Gives the module's parameters, in their order, the inputs of a sample from number first on.
void bind_parameters(Module& module, const Vars& inputs, size_t first);

/// The inputs of a sample for the module's parameters, in [-range, range).
std::vector<Input> parameter_inputs(Module& module, double range = 1);

}  // namespace glass
