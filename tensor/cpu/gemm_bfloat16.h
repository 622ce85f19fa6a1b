#pragma once

#include "tensor/cpu/gemm.h"

namespace glass::cpu {

/// Whether multiply_bfloat16 is there and would be faster than BLAS for these sizes.
bool suits_bfloat16(int64_t m, int64_t n, int64_t k);

/// c = a·b + beta·c on the calling thread, as multiply_here, with a and b rounded to bfloat16 (ties
/// to even, subnormals to 0) and the products added up in float32. Needs has_bfloat16_units().
void multiply_bfloat16(Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t lead,
                       int64_t m, int64_t n, int64_t k);

}  // namespace glass::cpu
