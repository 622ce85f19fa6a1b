#pragma once

#include "autograd/ops/recurrent.h"
#include "nn/rnn.h"

namespace glass {

/// Gated recurrent unit (Cho et al. 2014) in PyTorch's layout and form: the reset gate acts after
/// the recurrent product and its bias. Each step is equations() of GRUCell below; the steps of a
/// layer are one fused op (autograd/ops/recurrent.h).
class GRU : public Rnn {
 public:
  /// generator draws the weights, and must outlive the layer when there is dropout.
  GRU(int64_t input_size, int64_t hidden_size, const RnnOptions& options, Generator& generator);

  struct Output {
    Var output;  ///< [T, B, directions·H], or [B, T, ...] with batch_first
    Var state;   ///< [layers·directions, B, H]
  };
  /// As LSTM: lengths counts each row's valid steps, initial is zeros when undefined.
  Output operator()(const Var& input, const std::vector<int64_t>& lengths = {},
                    const Var& initial = {});
};

/// One step of a GRU.
class GRUCell : public RnnCell {
 public:
  GRUCell(int64_t input_size, int64_t hidden_size, bool bias, Generator& generator)
      : RnnCell(3, input_size, hidden_size, bias, generator) {}

  /// The step in simple ops. x [B, I], h [B, H].
  Var equations(const Var& x, const Var& h) const {
    const std::vector<Var> a = chunk(linear(x, weights.weight_ih, weights.bias_ih), 3, 1);
    const std::vector<Var> u = chunk(linear(h, weights.weight_hh, weights.bias_hh), 3, 1);
    const Var r = sigmoid(a[0] + u[0]), z = sigmoid(a[1] + u[1]), n = tanh(a[2] + r * u[2]);
    return (1.0 - z) * n + z * h;
  }
  /// The same with everything behind the products in one fused op. An undefined h is zeros.
  /// x may also be [I], and h [H].
  Var operator()(const Var& x, const Var& h = {}) const;
};

}  // namespace glass
