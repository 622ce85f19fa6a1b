#pragma once

#include "nn/rnn.h"

namespace glass {

enum class ElmanFunction : uint8_t { tanh, relu };

/// Simple recurrent network (Elman 1990) in PyTorch's layout: h' = tanh(W·x + b + U·h + d), or with
/// relu.
class RNN : public Rnn {
 public:
  /// generator draws the weights, and must outlive the layer when there is dropout.
  RNN(int64_t input_size, int64_t hidden_size, const RnnOptions& options, Generator& generator,
      ElmanFunction nonlinearity = ElmanFunction::tanh);

  struct Output {
    Var output;  ///< [T, B, directions·H], or [B, T, ...] with batch_first
    Var state;   ///< [layers·directions, B, H]
  };
  /// As LSTM: lengths counts each row's valid steps, initial is zeros when undefined.
  Output operator()(const Var& input, const std::vector<int64_t>& lengths = {},
                    const Var& initial = {});

  ElmanFunction nonlinearity;
};

/// One step of an RNN.
class RNNCell : public RnnCell {
 public:
  RNNCell(int64_t input_size, int64_t hidden_size, bool bias, Generator& generator,
          ElmanFunction function = ElmanFunction::tanh)
      : RnnCell(1, input_size, hidden_size, bias, generator), nonlinearity(function) {}

  /// x [B, I] or [I], h [B, H] or [H]. An undefined h is zeros.
  Var operator()(const Var& x, const Var& h = {}) const;

  ElmanFunction nonlinearity;
};

}  // namespace glass
