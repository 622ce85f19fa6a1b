#pragma once

#include <string>

namespace glass {

/// The BLAS in use and the kernel it chose, e.g. "OpenBLAS 0.3.21 … Zen".
std::string blas_description();

}  // namespace glass
