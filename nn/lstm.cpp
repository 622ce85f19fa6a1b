#include "nn/lstm.h"

namespace glass {

LSTM::LSTM(int64_t inputs, int64_t hidden, const RnnOptions& chosen, Generator& generator)
    : Rnn("LSTM", 4, inputs, hidden, chosen, generator) {
  if (!options.forget_bias) return;
  if (!options.bias) fail("LSTM", "forget_bias needs bias", *options.forget_bias);
  for (const RnnWeights& w : weights) {
    w.bias_ih.value().narrow(0, hidden, hidden).fill_(*options.forget_bias);
    w.bias_hh.value().narrow(0, hidden, hidden).fill_(0);
  }
}

LSTM::Output LSTM::operator()(const Var& input, const std::vector<int64_t>& lengths,
                              const LstmState& initial) {
  const std::array<Var, 3> y =
      run(input, initial.h, initial.c,
          [&](const Var& x, const Var& h, const Var& c, const RnnWeights& w, bool reverse) {
            const Var bias = w.bias_ih.defined() ? w.bias_ih + w.bias_hh : Var();
            return lstm_sequence(x, h, c, w.weight_ih, w.weight_hh, bias, lengths, reverse);
          });
  return {y[0], {y[1], y[2]}};
}

LstmState LSTMCell::operator()(const Var& x, const LstmState& s) const {
  if (x.ndim() == 1) {
    auto row = [](const Var& v) { return v.defined() ? unsqueeze(v, 0) : v; };
    const LstmState y = (*this)(row(x), {row(s.h), row(s.c)});
    return {squeeze(y.h, 0), squeeze(y.c, 0)};
  }
  const LstmState before{s.h.defined() ? s.h : initial(x), s.c.defined() ? s.c : initial(x)};
  const Var gates = linear(x, weights.weight_ih, weights.bias_ih) +
                    linear(before.h, weights.weight_hh, weights.bias_hh);
  const auto [h, c] = lstm_cell(gates, before.c);
  return {h, c};
}

}  // namespace glass
