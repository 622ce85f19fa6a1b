#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/registry.h"
#include "nn/module.h"

// Models with the state dicts and outputs that PyTorch wrote: tests/state_dict/make.py.
namespace glass::tests {

struct Model {
  std::string name;  ///< as in make.py
  std::shared_ptr<Module> module;
  std::function<Vars(const Vars&)> call;
  int64_t input_batch;                ///< the axis of the batch in every input
  std::vector<int64_t> output_batch;  ///< and in each output
};

/// All of them, in evaluation, with values of their own (not yet PyTorch's).
std::vector<Model> pytorch_models();

/// The path of tests/state_dict/NAME.safetensors; "cases" has inputs and outputs.
std::string state_dict_path(const std::string& name);

/// The cases' tensors NAME.0, NAME.1, ...: of "lstm.in" what the model "lstm" was given, of
/// "lstm.out" what it gave.
Vars recorded(const NamedTensors& cases, const std::string& name);

}  // namespace glass::tests
