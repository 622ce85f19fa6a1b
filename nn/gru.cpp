#include "nn/gru.h"

namespace glass {

GRU::GRU(int64_t inputs, int64_t hidden, const RnnOptions& chosen, Generator& generator)
    : Rnn("GRU", 3, inputs, hidden, chosen, generator) {
  if (options.forget_bias) fail("GRU", "has no forget gate", "forget_bias ", *options.forget_bias);
}

GRU::Output GRU::operator()(const Var& input, const std::vector<int64_t>& lengths,
                            const Var& initial) {
  const std::array<Var, 3> y = run(input, initial, Var(),
                                   [&](const Var& x, const Var& h, const Var&, const RnnWeights& w,
                                       bool reverse) -> std::array<Var, 3> {
                                     const auto [output, h_n] =
                                         gru_sequence(x, h, w.weight_ih, w.weight_hh, w.bias_ih,
                                                      w.bias_hh, lengths, reverse);
                                     return {output, h_n, Var()};
                                   });
  return {y[0], y[1]};
}

Var GRUCell::operator()(const Var& x, const Var& h) const {
  if (x.ndim() == 1) return squeeze((*this)(unsqueeze(x, 0), h.defined() ? unsqueeze(h, 0) : h), 0);
  const Var state = h.defined() ? h : initial(x);
  return gru_cell(linear(x, weights.weight_ih, weights.bias_ih),
                  linear(state, weights.weight_hh, weights.bias_hh), state);
}

}  // namespace glass
