#include "tensor/kernels.h"

namespace glass {

// A build without CUDA: its absence is this file.
const Kernels* cuda_kernels() { return nullptr; }

}  // namespace glass
