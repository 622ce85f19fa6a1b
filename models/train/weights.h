#pragma once

#include <string>

#include "models/report/label.h"
#include "tensor/error.h"
#include "tensor/safetensors.h"

namespace glass {

/// load_safetensors of weights: a NaN or an infinity among them is an Error (environment) that
/// names the tensor and the element.
NamedTensors load_weights(const std::string& path);

/// load_state_dict of a module or an optimiser of a run; what does not fit is an Error
/// (environment), a short one, that names the file.
template <class Target>
void load_state(Target& target, const NamedTensors& state, const std::string& path) {
  try {
    target.load_state_dict(state);
  } catch (const Error& e) {
    fail_environment(path, "does not fit the config.json beside it", shorten(e.values(), 120));
  }
}

}  // namespace glass
