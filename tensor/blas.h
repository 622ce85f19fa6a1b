#pragma once

#include <string>
#include <string_view>

namespace glass {

/// OpenBLAS's name for kernels that suit a processor with AVX2 (and FMA) or AVX-512 better than
/// those it chose; empty: none. It does not know processors younger than itself, and takes what any
/// processor can run: on those of Intel what a Prescott of 2004 can.
std::string_view better_kernels(std::string_view chosen, bool avx2, bool avx512);

/// Before a first product: BLAS keeps to the calling thread, since parallel_for does the splitting.
/// (better_kernels() are taken earlier, when the program is loaded and has one thread, unless
/// OPENBLAS_CORETYPE says what the user wants.)
void prepare_blas();

/// The BLAS in use and its kernels, e.g. "OpenBLAS 0.3.21 … Zen".
std::string blas_description();

}  // namespace glass
