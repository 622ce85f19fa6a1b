#pragma once

#include "tensor/tensor.h"

namespace glass {

/// PE(t, 2i) = sin(t/10000^(2i/d)), PE(t, 2i + 1) = cos of the same (Vaswani et al. 2017, section
/// 3.5): [count, d], for the places first, first + 1, …
Tensor sinusoidal_positions(int64_t count, int64_t d, DType dtype = kFloat32, int64_t first = 0);

}  // namespace glass
