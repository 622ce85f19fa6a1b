#pragma once

#include "autograd/ops/recurrent.h"
#include "nn/rnn.h"

namespace glass {

/// [layers·directions, B, H] each for an LSTM, [B, H] each for a cell.
struct LstmState {
  Var h, c;
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
/// 2000), in PyTorch's layout. Each step is equations() of LSTMCell below; the steps of a layer are
/// one fused op (autograd/ops/recurrent.h).
class LSTM : public Rnn {
 public:
  /// generator draws the weights, and must outlive the layer when there is dropout.
  LSTM(int64_t input_size, int64_t hidden_size, const RnnOptions& options, Generator& generator);

  struct Output {
    Var output;  ///< [T, B, directions·H], or [B, T, ...] with batch_first
    LstmState state;
  };
  /// input [T, B, I] (or [B, T, I] with batch_first). lengths: the valid steps of each row, 0 … T
  /// (empty: all T). What stands beyond them is never read; the output there is 0, the reverse
  /// direction begins at the last valid step, and the state is the one after the valid steps.
  /// initial: zeros when undefined. Throws Error naming the sizes that do not fit.
  Output operator()(const Var& input, const std::vector<int64_t>& lengths = {},
                    const LstmState& initial = {});
};

/// One step of an LSTM.
class LSTMCell : public RnnCell {
 public:
  LSTMCell(int64_t input_size, int64_t hidden_size, bool bias, Generator& generator)
      : RnnCell(4, input_size, hidden_size, bias, generator) {}

  /// The step as it stands in the textbook, in simple ops. x [B, I], s.h and s.c [B, H].
  LstmState equations(const Var& x, const LstmState& s) const {
    const Var gates = linear(x, weights.weight_ih, weights.bias_ih) +
                      linear(s.h, weights.weight_hh, weights.bias_hh);
    const std::vector<Var> z = chunk(gates, 4, 1);
    const Var i = sigmoid(z[0]), f = sigmoid(z[1]), g = tanh(z[2]), o = sigmoid(z[3]);
    const Var c = f * s.c + i * g;
    return {o * tanh(c), c};
  }
  /// The same with everything behind the products in one fused op. An undefined state is zeros.
  /// x may also be [I], and the state [H].
  LstmState operator()(const Var& x, const LstmState& s = {}) const;
};

}  // namespace glass
