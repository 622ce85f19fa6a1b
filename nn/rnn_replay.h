#pragma once

#include "autograd/replay.h"
#include "nn/rnn.h"

// PyTorch's arguments of recurrent layers.
namespace glass {

RnnOptions replay_rnn_options(Replay& r);
/// The input "lengths" as numbers; none when absent.
std::vector<int64_t> replay_lengths(Replay& r);

}  // namespace glass
