#include "nn/elman.h"

#include "autograd/recurrent_steps.h"
#include "nn/rnn_replay.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {
namespace {

Var apply(ElmanFunction function, const Var& x) {
  return function == ElmanFunction::tanh ? tanh(x) : relu(x);
}

// x [T, B, I] with zeros beyond each row's length: there 0 · NaN would reach the weight's gradient.
Var without_padding(const Var& x, const std::vector<int64_t>& lengths) {
  if (lengths.empty()) return x;
  const int64_t T = x.size(0), B = x.size(1);
  const Var time(Tensor::arange(0, T).reshape({T, 1, 1}));
  return where(time < Var(Tensor::from(lengths, {1, B, 1})), x, 0.0);
}

}  // namespace

RNN::RNN(int64_t inputs, int64_t hidden, const RnnOptions& chosen, Generator& generator,
         ElmanFunction function)
    : Rnn("RNN", 1, inputs, hidden, chosen, generator), nonlinearity(function) {
  if (options.forget_bias) fail("RNN", "has no forget gate", "forget_bias ", *options.forget_bias);
}

// The inputs' products of all steps at once; then step by step.
RNN::Output RNN::operator()(const Var& input, const std::vector<int64_t>& lengths,
                            const Var& initial) {
  const std::array<Var, 3> y =
      run(input, initial, Var(),
          [&](const Var& x, const Var& h0, const Var&, const RnnWeights& w,
              bool reverse) -> std::array<Var, 3> {
            const Steps steps("RNN", lengths, x.size(0), x.size(1), reverse);
            const Var bias = w.bias_ih.defined() ? w.bias_ih + w.bias_hh : Var();
            const Var products = linear(without_padding(x, lengths), w.weight_ih, bias);
            return steps.run(products, h0, Var(), hidden_size,
                             [&](const Var& x_t, const Var& h, const Var&) -> std::array<Var, 2> {
                               return {apply(nonlinearity, x_t + linear(h, w.weight_hh)), Var()};
                             });
          });
  return {y[0], y[1]};
}

Var RNNCell::operator()(const Var& x, const Var& h) const {
  if (x.ndim() == 1) return squeeze((*this)(unsqueeze(x, 0), h.defined() ? unsqueeze(h, 0) : h), 0);
  const Var state = h.defined() ? h : initial(x);
  return apply(nonlinearity, linear(x, weights.weight_ih, weights.bias_ih) +
                                 linear(state, weights.weight_hh, weights.bias_hh));
}

namespace {

// An RNN with 2 inputs and 2 units; x comes first, then the state where wanted, then the weights.
Sample rnn_sample(std::string label, const Shape& x, const RnnOptions& options,
                  const std::vector<int64_t>& lengths, bool with_state,
                  ElmanFunction function = ElmanFunction::tanh) {
  Generator generator;
  RNN shaped(2, 2, options, generator);
  const int64_t B = x[options.batch_first ? 0 : 1];
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{x}};
  if (with_state)
    sample.inputs.push_back({{static_cast<int64_t>(shaped.weights.size()), B, 2}, -1, 1});
  const size_t first = sample.inputs.size();
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    RNN layer(2, 2, options, unused, function);
    bind_parameters(layer, in, first);
    const RNN::Output y = layer(in[0], lengths, with_state ? in[1] : Var());
    return Vars{y.output, y.state};
  };
  return sample;
}

Sample rnn_cell_sample(std::string label, int64_t B, bool bias, ElmanFunction function) {
  Generator generator;
  RNNCell shaped(2, 3, bias, generator);
  Sample sample{};
  sample.label = std::move(label);
  sample.inputs = {{{B, 2}}, {{B, 3}, -1, 1}};
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [=](const Vars& in) {
    Generator unused;
    RNNCell cell(2, 3, bias, unused, function);
    bind_parameters(cell, in, 2);
    return Vars{cell(in[0], in[1])};
  };
  return sample;
}

ElmanFunction replay_function(Replay& r) {
  const std::string name = r.text("nonlinearity", "tanh");
  if (name != "tanh" && name != "relu") fail(r.op, "nonlinearity is tanh or relu", name);
  return name == "tanh" ? ElmanFunction::tanh : ElmanFunction::relu;
}

Vars replay_rnn(Replay& r) {
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, RNN(inputs, hidden, replay_rnn_options(r), g, replay_function(r)),
                       [&](RNN& layer) {
                         const RNN::Output y = layer(r["input"], replay_lengths(r), r.maybe("h0"));
                         return Vars{y.output, y.state};
                       });
}

Vars replay_rnn_cell(Replay& r) {
  Generator g;
  const int64_t inputs = r.integer("input_size"), hidden = r.integer("hidden_size");
  return replay_module(r, RNNCell(inputs, hidden, r.flag("bias", true), g, replay_function(r)),
                       [&](RNNCell& cell) { return Vars{cell(r["input"], r.maybe("h0"))}; });
}

}  // namespace

std::vector<Entry> elman_entries() {
  return {
      {.name = "RNN",
       .kind = EntryKind::layer,
       .formula = "h' = tanh(W·x + b + U·h + d), or with relu",
       .gradient = "da = dh'·(1 - h'²), or dh' where h' > 0; dh = Uᵀ·da, dx = Wᵀ·da, dW = Σ da·xᵀ, "
                   "dU = Σ da·hᵀ, db = dd = Σ da",
       .notes = "Beyond a row's length nothing is read and the output is 0.",
       .samples = {rnn_sample("one layer", {3, 2, 2}, {}, {}, false),
                   rnn_sample("lengths, state", {3, 3, 2}, {}, {2, 3, 0}, true),
                   rnn_sample("both directions, lengths, state", {3, 3, 2}, {.bidirectional = true},
                              {2, 3, 1}, true),
                   rnn_sample("two layers, relu, batch first", {6, 3, 2},
                              {.num_layers = 2, .batch_first = true}, {}, false,
                              ElmanFunction::relu),
                   rnn_sample("no bias", {2, 2, 2}, {.bias = false}, {}, true)},
       .errors = {{"forget bias",
                   [] {
                     Generator g;
                     RNN layer(2, 2, {.forget_bias = 1}, g);
                   },
                   "has no forget gate"},
                  {"features",
                   [] {
                     Generator g;
                     RNN(3, 2, {}, g)(Var(Tensor::zeros({4, 2, 5})));
                   },
                   "[4, 2, 5] for 3 features"}},
       .replay = replay_rnn},
      {.name = "RNNCell",
       .kind = EntryKind::layer,
       .formula = "one step of an RNN",
       .gradient = "as RNN",
       .samples = {rnn_cell_sample("batch", 2, true, ElmanFunction::tanh),
                   rnn_cell_sample("relu, no bias", 1, false, ElmanFunction::relu)},
       .errors = {{"features",
                   [] {
                     Generator g;
                     RNNCell(3, 2, true, g)(Var(Tensor::zeros({2, 4})));
                   },
                   "linear"}},
       .replay = replay_rnn_cell}};
}

}  // namespace glass
