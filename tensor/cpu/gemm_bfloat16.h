#pragma once

#include "tensor/cpu/gemm.h"

namespace glass::cpu {

/// Whether multiply_bfloat16 can be called here, and is worth it for these sizes.
bool suits_bfloat16(int64_t m, int64_t n, int64_t k);

/// c = a·b + beta·c as multiply_here, with a and b rounded to bfloat16 (to nearest, ties to even;
/// subnormals to 0, magnitudes above 3.39e38 to infinity) and the products added up in float32; on
/// all threads with split. The same bits for every number of threads. false: no memory for packing,
/// and c is as it was.
bool multiply_bfloat16(Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t lead,
                       int64_t m, int64_t n, int64_t k, bool split) noexcept;

}  // namespace glass::cpu
