#pragma once

#include <string>

namespace glass {

/// Before a first product: BLAS keeps to the calling thread, since parallel_for does the splitting,
/// and uses kernels that suit the processor. OpenBLAS takes those of a Prescott, of 2004, on any
/// processor younger than itself; then it is told to take the ones for AVX-512 or AVX2, unless
/// OPENBLAS_CORETYPE says what the user wants.
void prepare_blas();

/// The BLAS in use and its kernels, e.g. "OpenBLAS 0.3.21 … Zen".
std::string blas_description();

}  // namespace glass
