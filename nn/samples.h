#pragma once

#include "autograd/registry.h"
#include "nn/module.h"

// What the tables of nn/ are written with.
namespace glass {

/// Gives the module's parameters, in their order, the inputs of a sample from number first on.
void bind_parameters(Module& module, const Vars& inputs, size_t first);

/// The inputs of a sample for the module's parameters, in [-range, range).
std::vector<Input> parameter_inputs(Module& module, double range = 1);

/// Gives the module the type, values and mode of the recorded call, and the call the parameters.
void prepare_replay(Replay& r, Module& module);

/// A layer's part in a replay: call(module), a Vars, with the recorded parameters, buffers, type
/// and mode.
template <class M, class F>
Vars replay_module(Replay& r, M module, const F& call) {
  prepare_replay(r, module);
  Vars outputs = call(module);
  for (const auto& [name, buffer] : module.named_buffers()) r.buffers[name] = buffer;
  return outputs;
}

}  // namespace glass
