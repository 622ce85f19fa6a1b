#include "nn/gru.h"

#include "nn/rnn_replay.h"
#include "nn/samples.h"
#include "nn/table.h"

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

namespace {

// A GRU with 2 inputs and 2 units; x comes first, then the state where wanted, then the weights.
Sample gru_sample(std::string label, const Shape& x, const RnnOptions& options,
                  const std::vector<int64_t>& lengths, bool with_state) {
  Generator generator;
  GRU shaped(2, 2, options, generator);
  const int64_t B = x[options.batch_first ? 0 : 1];
  const Shape state{static_cast<int64_t>(shaped.weights.size()), B, 2};
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{x}};
  if (with_state) sample.inputs.push_back({state, -1, 1});
  const size_t first = sample.inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    GRU layer(2, 2, options, unused);
    bind_parameters(layer, in, first);
    const GRU::Output y = layer(in[0], lengths, with_state ? in[1] : Var());
    return Vars{y.output, y.state};
  };
  return sample;
}

Sample gru_cell_sample(std::string label, int64_t B, bool bias) {
  Generator generator;
  GRUCell shaped(2, 3, bias, generator);
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{{B, 2}}, {{B, 3}, -1, 1}};
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  auto bound = [bias](const Vars& in) {
    Generator unused;
    GRUCell cell(2, 3, bias, unused);
    bind_parameters(cell, in, 2);
    return cell;
  };
  sample.f = [=](const Vars& in) { return Vars{bound(in)(in[0], in[1])}; };
  sample.definition = [=](const Vars& in) { return Vars{bound(in).equations(in[0], in[1])}; };
  return sample;
}

Vars replay_gru(Replay& r) {
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, GRU(inputs, hidden, replay_rnn_options(r), g), [&](GRU& layer) {
    const GRU::Output y = layer(r["input"], replay_lengths(r), r.maybe("h0"));
    return Vars{y.output, y.state};
  });
}

Vars replay_gru_cell(Replay& r) {
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, GRUCell(inputs, hidden, r.flag("bias", true), g),
                       [&](GRUCell& cell) { return Vars{cell(r["input"], r.maybe("h0"))}; });
}

}  // namespace

std::vector<Entry> gru_entries() {
  return {
      {.name = "GRU",
       .kind = EntryKind::layer,
       .formula = "r, z = σ(W·x + b + U·h + d), n = tanh(W·x + b + r·(U·h + d)); "
                  "h' = (1 - z)·n + z·h",
       .gradient = "as gru_sequence",
       .notes = "Rows of the weights in the order r, z, n; the reset gate acts after the product. "
                "Beyond a row's length nothing is read and the output is 0.",
       .samples = {gru_sample("one layer", {3, 2, 2}, {}, {}, false),
                   gru_sample("lengths, state", {3, 3, 2}, {}, {2, 3, 0}, true),
                   gru_sample("both directions, lengths, state", {3, 3, 2}, {.bidirectional = true},
                              {2, 3, 1}, true),
                   gru_sample("two layers, both directions, batch first", {2, 3, 2},
                              {.num_layers = 2, .batch_first = true, .bidirectional = true}, {2, 3},
                              false),
                   gru_sample("no bias", {2, 2, 2}, {.bias = false}, {}, true)},
       .errors = {{"forget bias",
                   [] {
                     Generator g;
                     GRU layer(2, 2, {.forget_bias = 1}, g);
                   },
                   "has no forget gate"},
                  {"features",
                   [] {
                     Generator g;
                     GRU(3, 2, {}, g)(Var(Tensor::zeros({4, 2, 5})));
                   },
                   "[4, 2, 5] for 3 features"}},
       .replay = replay_gru},
      {.name = "GRUCell",
       .kind = EntryKind::layer,
       .formula = "one step of a GRU",
       .gradient = "as gru_cell",
       .samples = {gru_cell_sample("batch", 2, true), gru_cell_sample("no bias", 1, false)},
       .errors = {{"features",
                   [] {
                     Generator g;
                     GRUCell(3, 2, true, g)(Var(Tensor::zeros({2, 4})));
                   },
                   "linear"}},
       .replay = replay_gru_cell}};
}

}  // namespace glass
