#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tensor/safetensors.h"

namespace glass::tests {

/// One case of the reference values, which another framework computed.
struct ReferenceCase {
  std::string name;
  NamedTensors tensors;
  nlohmann::json kwargs;
  double rtol = 0, atol = 0;

  bool has(const std::string& tensor) const { return tensors.find(tensor) != nullptr; }
  const Tensor& at(const std::string& tensor) const { return tensors.at(tensor); }
  /// kwargs[key], or otherwise.
  template <class T>
  T get(const std::string& key, T otherwise) const {
    return kwargs.value(key, otherwise);
  }
};

/// The cases of an op, e.g. "optim.Adam", from the folder GLASS_REFERENCE or tests/reference.
/// Empty when there are none: then skip().
std::vector<ReferenceCase> load_reference(const std::string& op);

/// The largest |got - want| - rtol·|want| of all elements; infinite when shapes differ or one
/// alone is NaN. Right is <= atol.
double excess(const Tensor& got, const Tensor& want, double rtol);

}  // namespace glass::tests
