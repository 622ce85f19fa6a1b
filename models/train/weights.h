#pragma once

#include <string>

#include "tensor/safetensors.h"

namespace glass {

/// load_safetensors of weights: a NaN or an infinity among them is an Error (environment) that
/// names the tensor and the element.
NamedTensors load_weights(const std::string& path);

}  // namespace glass
