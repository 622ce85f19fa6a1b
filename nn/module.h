#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "tensor/random.h"
#include "tensor/safetensors.h"

namespace glass {

class Module;

/// Sees a module's members in order, with PyTorch's names. Undefined members are not shown.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void parameter(std::string_view name, Var& value) = 0;
  virtual void buffer(std::string_view, Tensor&) {}
  virtual void module(std::string_view name, Module& child) = 0;

  void operator()(std::string_view name, Var& value) {
    if (value.defined()) parameter(name, value);
  }
  void operator()(std::string_view name, Tensor& value) {
    if (value.defined()) buffer(name, value);
  }
  void operator()(std::string_view name, Module& child) { module(name, child); }
};

using NamedVars = std::vector<std::pair<std::string, Var>>;

/// A layer: its fields, a call operator, and visit(). Modules move; a copy shares parameters, so
/// use clone() for independent ones.
class Module {
 public:
  virtual ~Module() = default;
  /// Shows v every member: v("weight", weight); v("encoder", encoder).
  virtual void visit(Visitor& v) = 0;

  bool is_training() const { return training_; }
  void train(bool on = true);  ///< of this module and all below it
  void eval() { train(false); }

  /// Names are paths: "encoder.weight_ih_l0". A tied parameter appears under each of its names.
  NamedVars named_parameters();
  std::vector<std::pair<std::string, Tensor>> named_buffers();
  /// Each parameter once.
  std::vector<Var> parameters();
  int64_t num_parameters();
  void zero_grad();
  /// Converts parameters and floating buffers; ties stay ties.
  void to(DType dtype);

  /// Parameters and buffers by name; the tensors share storage with the module.
  NamedTensors state_dict();
  /// Copies values in. Missing, surplus or misshapen entries throw Error naming them, and then
  /// nothing has changed.
  void load_state_dict(const NamedTensors& state);

 protected:
  Module() = default;
  Module(const Module&) = default;
  Module(Module&&) = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) = default;

 private:
  bool training_ = true;
};

/// Gives the module parameters and buffers of its own; ties stay ties.
void own_parameters(Module& module);

/// An independent copy with equal values.
template <class M>
M clone(const M& module) {
  M copy = module;
  own_parameters(copy);
  return copy;
}

/// A new parameter: a leaf with gradient.
inline Var parameter(Tensor value) { return Var(std::move(value), true); }

}  // namespace glass
