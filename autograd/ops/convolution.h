#pragma once

#include "autograd/var.h"

namespace glass {

/// Of each list one number per axis, or one for all.
struct ConvOptions {
  Dims stride = {1};
  Dims padding = {0};  ///< zeros on both sides; {0} is PyTorch's "valid"
  bool same = false;   ///< instead: as many zeros as keep the size, the odd one behind; stride 1
  Dims dilation = {1};
  int64_t groups = 1;
};

struct ConvTransposeOptions {
  Dims stride = {1};
  Dims padding = {0};
  Dims output_padding = {0};  ///< added to the output's size, at its end
  int64_t groups = 1;
  Dims dilation = {1};
};

/// x [N, C, L] or [C, L], weight [O, C / groups, K], bias [O] or undefined: [N, O, L'].
Var conv1d(In x, In weight, const Var& bias = {}, const ConvOptions& options = {});
/// x [N, C, H, W] or [C, H, W], weight [O, C / groups, K, K'], bias [O] or undefined.
Var conv2d(In x, In weight, const Var& bias = {}, const ConvOptions& options = {});
/// What takes the gradient of conv2d's output to its input. x [N, C, H, W] or [C, H, W], weight
/// [C, O / groups, K, K'], bias [O] or undefined.
Var conv_transpose2d(In x, In weight, const Var& bias = {},
                     const ConvTransposeOptions& options = {});

}  // namespace glass
