#include "models/train/weights.h"

#include <cmath>

namespace glass {
namespace {

template <class T>
void check_finite(const std::string& path, const std::string& name, const Tensor& tensor) {
  const Tensor flat = tensor.contiguous();
  const T* data = flat.data<T>();
  for (int64_t i = 0; i < flat.numel(); ++i)
    if (!std::isfinite(data[i]))
      fail_environment(path, "a weight is no finite number", name, " has ", data[i], " at element ",
                       i, " of ", flat.numel(), "; restore the file, or train again");
}

}  // namespace

NamedTensors load_weights(const std::string& path) {
  NamedTensors all = load_safetensors(path);
  for (const auto& [name, tensor] : all.tensors) {
    if (tensor.dtype() == kFloat32) check_finite<float>(path, name, tensor);
    if (tensor.dtype() == kFloat64) check_finite<double>(path, name, tensor);
  }
  return all;
}

}  // namespace glass
