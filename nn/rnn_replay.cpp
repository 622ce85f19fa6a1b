#include "nn/rnn_replay.h"

namespace glass {

RnnOptions replay_rnn_options(Replay& r) {
  return {.num_layers = r.integer("num_layers", 1),
          .bias = r.flag("bias", true),
          .batch_first = r.flag("batch_first", false),
          .dropout = r.real("dropout", 0),
          .bidirectional = r.flag("bidirectional", false)};
}

std::vector<int64_t> replay_lengths(Replay& r) {
  const Var lengths = r.maybe("lengths");
  return lengths.defined() ? lengths.value().to_vector<int64_t>() : std::vector<int64_t>{};
}

}  // namespace glass
