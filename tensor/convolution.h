#pragma once

#include <array>

#include "tensor/tensor.h"

namespace glass {

/// How a kernel slides over the last two axes of an image. before: zeros in front of the first
/// element; behind the last one there are as many as the output needs.
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, before{0, 0}, dilation{1, 1};
  int64_t groups = 1;
};

/// y[n, o, p, q] = sum over c, i, j of weight[o, c, i, j] · x[n, c, p·stride - before + i·dilation,
/// ...], where o and c are of the same group. Dense tensors of one floating type; each of the three
/// kernels of this family computes one of them from the other two.
struct Convolution {
  Window window{};
  Tensor x;       // [N, C, H, W]
  Tensor weight;  // [O, C / groups, kernel...]
  Tensor y;       // [N, O, h, w]
};

}  // namespace glass
