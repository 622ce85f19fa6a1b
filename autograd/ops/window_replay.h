#pragma once

#include "autograd/ops/convolution.h"
#include "autograd/ops/pooling.h"
#include "autograd/replay.h"

// PyTorch's arguments of convolutions and pools; its layers and functions share them.
namespace glass {

/// A number or a list of them; otherwise when absent, None or empty.
Dims replay_dims(Replay& r, const std::string& name, const Dims& otherwise = {});

ConvOptions replay_conv_options(Replay& r);
ConvTransposeOptions replay_conv_transpose_options(Replay& r);
MaxPoolOptions replay_max_pool_options(Replay& r);
/// two_axes: divisor_override is read, which one axis does not have.
AvgPoolOptions replay_avg_pool_options(Replay& r, bool two_axes);

/// The output size of an adaptive pool, where None keeps the input's.
Dims replay_output_size(Replay& r);

/// The values, and the indices when the call wants them.
std::vector<Var> replay_max_pool(Replay& r, const ValueIndex& y);

}  // namespace glass
