#include "nn/lstm.h"

#include "nn/rnn_replay.h"
#include "nn/samples.h"
#include "nn/table.h"

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
  const Var bias = weights.bias_ih.defined() ? weights.bias_ih + weights.bias_hh : Var();
  const Var gates = linear(x, weights.weight_ih, bias) + linear(before.h, weights.weight_hh);
  const auto [h, c] = lstm_cell(gates, before.c);
  return {h, c};
}

namespace {

// An LSTM with 2 inputs and 2 units; x comes first, then the state where wanted, then the weights.
Sample lstm_sample(std::string label, const Shape& x, const RnnOptions& options,
                   const std::vector<int64_t>& lengths, bool with_state) {
  Generator generator;
  LSTM shaped(2, 2, options, generator);
  const int64_t B = x[options.batch_first ? 0 : 1];
  const Shape state{static_cast<int64_t>(shaped.weights.size()), B, 2};
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{x}};
  if (with_state) sample.inputs.insert(sample.inputs.end(), 2, {state, -1, 1});
  const size_t first = sample.inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    LSTM layer(2, 2, options, unused);
    bind_parameters(layer, in, first);
    const LSTM::Output y =
        layer(in[0], lengths, with_state ? LstmState{in[1], in[2]} : LstmState{});
    return Vars{y.output, y.state.h, y.state.c};
  };
  return sample;
}

Sample lstm_cell_sample(std::string label, int64_t B, bool bias) {
  Generator generator;
  LSTMCell shaped(2, 3, bias, generator);
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{{B, 2}}, {{B, 3}, -1, 1}, {{B, 3}, -1, 1}};
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  auto call = [bias](const Vars& in, auto step) {
    Generator unused;
    LSTMCell cell(2, 3, bias, unused);
    bind_parameters(cell, in, 3);
    const LstmState y = step(cell, in[0], LstmState{in[1], in[2]});
    return Vars{y.h, y.c};
  };
  sample.f = [=](const Vars& in) {
    return call(in,
                [](const LSTMCell& cell, const Var& x, const LstmState& s) { return cell(x, s); });
  };
  sample.definition = [=](const Vars& in) {
    return call(in, [](const LSTMCell& cell, const Var& x, const LstmState& s) {
      return cell.equations(x, s);
    });
  };
  return sample;
}

Vars replay_lstm(Replay& r) {
  if (r.has("proj_size")) return {};  // stays unread: not covered
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, LSTM(inputs, hidden, replay_rnn_options(r), g), [&](LSTM& layer) {
    const LstmState initial{r.maybe("h0"), r.maybe("c0")};
    const LSTM::Output y = layer(r["input"], replay_lengths(r), initial);
    return Vars{y.output, y.state.h, y.state.c};
  });
}

Vars replay_lstm_cell(Replay& r) {
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, LSTMCell(inputs, hidden, r.flag("bias", true), g), [&](LSTMCell& cell) {
    const LstmState y = cell(r["input"], {r.maybe("h0"), r.maybe("c0")});
    return Vars{y.h, y.c};
  });
}

}  // namespace

std::vector<Entry> lstm_entries() {
  const auto build = [](int64_t inputs, int64_t hidden, const RnnOptions& options) {
    Generator g;
    LSTM layer(inputs, hidden, options, g);
  };
  return {
      {.name = "LSTM",
       .kind = EntryKind::layer,
       .formula = "i, f, o = σ(W·x + b + U·h + d), g = tanh(W·x + b + U·h + d); c' = f·c + i·g; "
                  "h' = o·tanh(c')",
       .gradient = "as lstm_sequence",
       .notes =
           "Rows of the weights in the order i, f, g, o. Beyond a row's length nothing is read "
           "and the output is 0.",
       .samples = {lstm_sample("one layer", {3, 2, 2}, {}, {}, false),
                   lstm_sample("lengths, state", {3, 3, 2}, {}, {2, 3, 0}, true),
                   lstm_sample("both directions, lengths, state", {3, 3, 2},
                               {.bidirectional = true}, {2, 3, 1}, true),
                   lstm_sample("two layers, both directions, batch first", {2, 3, 2},
                               {.num_layers = 2, .batch_first = true, .bidirectional = true},
                               {2, 3}, false),
                   lstm_sample("no bias", {2, 2, 2}, {.bias = false}, {}, true)},
       .errors = {{"sizes", [=] { build(0, 2, {}); }, "input_size 0, hidden_size 2"},
                  {"no layers", [=] { build(2, 2, {.num_layers = 0}); }, "at least one layer"},
                  {"dropout with one layer", [=] { build(2, 2, {.dropout = 0.5}); },
                   "one layer only"},
                  {"dropout above 1", [=] { build(2, 2, {.num_layers = 2, .dropout = 1.5}); },
                   "in [0, 1]"},
                  {"features",
                   [] {
                     Generator g;
                     LSTM(3, 2, {}, g)(Var(Tensor::zeros({4, 2, 5})));
                   },
                   "[4, 2, 5] for 3 features"},
                  {"state",
                   [] {
                     Generator g;
                     const Var state(Tensor::zeros({1, 2, 2}));
                     LSTM(3, 2, {.bidirectional = true}, g)
                     (Var(Tensor::zeros({4, 2, 3})), {}, {state, state});
                   },
                   "[1, 2, 2], need [2, 2, 2]"}},
       .replay = replay_lstm},
      {.name = "LSTMCell",
       .kind = EntryKind::layer,
       .formula = "one step of an LSTM",
       .gradient = "as lstm_cell",
       .samples = {lstm_cell_sample("batch", 2, true), lstm_cell_sample("no bias", 1, false)},
       .errors = {{"features",
                   [] {
                     Generator g;
                     LSTMCell(3, 2, true, g)(Var(Tensor::zeros({2, 4})));
                   },
                   "linear"}},
       .replay = replay_lstm_cell}};
}

}  // namespace glass
