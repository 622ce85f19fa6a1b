#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "nn/module.h"

namespace glass {

struct RnnOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;  ///< input and output [B, T, ...] instead of [T, B, ...]
  double dropout = 0;        ///< between layers, in training
  bool bidirectional = false;
  std::optional<double> forget_bias = {};  ///< LSTM: what the forget gate's biases add up to
};

/// One layer in one direction. G gates: weight_ih [G·H, I], weight_hh [G·H, H], biases [G·H] or
/// undefined.
struct RnnWeights {
  Var weight_ih, weight_hh, bias_ih, bias_hh;
};

/// What LSTM and GRU share: weights, layers and directions. Initialised from U(-1/√H, 1/√H).
class Rnn : public Module {
 public:
  /// In PyTorch's order and names: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, then the
  /// same with _reverse, then layer 1.
  void visit(Visitor& v) override;

  int64_t input_size, hidden_size;
  RnnOptions options;
  std::vector<RnnWeights> weights;  ///< layer 0 forward, layer 0 reverse, layer 1 forward, ...

 protected:
  /// generator must outlive the layer when there is dropout.
  Rnn(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size,
      const RnnOptions& options, Generator& generator);

  /// x [T, B, I] and the initial state of one layer and direction to its output, h_n, c_n.
  using Direction = std::function<std::array<Var, 3>(const Var& x, const Var& h, const Var& c,
                                                     const RnnWeights& weights, bool reverse)>;
  /// The whole stack: output, h_n, c_n (undefined when direction gives none). h and c
  /// [layers·directions, B, H], or undefined. An input without a batch axis is a batch of one.
  std::array<Var, 3> run(const Var& input, const Var& h, const Var& c, const Direction& direction);

 private:
  const char* name_;
  Generator* generator_;
};

/// The weights of a recurrent cell: one layer, one direction, one step; PyTorch's names.
class RnnCell : public Module {
 public:
  void visit(Visitor& v) override;
  RnnWeights weights;

 protected:
  RnnCell(int64_t gates, int64_t input_size, int64_t hidden_size, bool bias, Generator& generator);
  /// The state before the first step: zeros for each row of x.
  Var initial(const Var& x) const;
};

}  // namespace glass
