#include "nn/rnn.h"

#include <cmath>

#include "autograd/ops/dropout.h"

namespace glass {
namespace {

RnnWeights make_weights(int64_t gates, int64_t input_size, int64_t hidden_size, bool bias,
                        Generator& generator) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  auto draw = [&](const Shape& shape) {
    return parameter(uniform(shape, -bound, bound, kFloat32, generator));
  };
  RnnWeights w;
  w.weight_ih = draw({gates * hidden_size, input_size});
  w.weight_hh = draw({gates * hidden_size, hidden_size});
  if (bias) {
    w.bias_ih = draw({gates * hidden_size});
    w.bias_hh = draw({gates * hidden_size});
  }
  return w;
}

void check_sizes(const char* name, int64_t input_size, int64_t hidden_size) {
  if (input_size < 1 || hidden_size < 1)
    fail(name, "sizes must be positive", "input_size ", input_size, ", hidden_size ", hidden_size);
}

}  // namespace

Rnn::Rnn(const char* name, int64_t gates, int64_t inputs, int64_t hidden, const RnnOptions& chosen,
         Generator& generator)
    : input_size(inputs),
      hidden_size(hidden),
      options(chosen),
      name_(name),
      generator_(&generator) {
  check_sizes(name, inputs, hidden);
  if (options.num_layers < 1) fail(name, "needs at least one layer", options.num_layers);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    fail(name, "dropout must be in [0, 1]", options.dropout);
  if (options.dropout > 0 && options.num_layers == 1)
    fail(name, "dropout acts between layers, and there is one layer only", "dropout ",
         options.dropout);
  const int64_t directions = options.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < options.num_layers; ++layer)
    for (int64_t d = 0; d < directions; ++d)
      weights.push_back(make_weights(gates, layer == 0 ? inputs : directions * hidden, hidden,
                                     options.bias, generator));
}

void Rnn::visit(Visitor& v) {
  const size_t directions = options.bidirectional ? 2 : 1;
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string end =
        "_l" + std::to_string(i / directions) + (i % directions == 1 ? "_reverse" : "");
    v("weight_ih" + end, weights[i].weight_ih);
    v("weight_hh" + end, weights[i].weight_hh);
    v("bias_ih" + end, weights[i].bias_ih);
    v("bias_hh" + end, weights[i].bias_hh);
  }
}

std::array<Var, 3> Rnn::run(const Var& input, const Var& h, const Var& c,
                            const Direction& direction) {
  if (input.ndim() == 2) {
    auto with_batch = [](const Var& x, int64_t dim) { return x.defined() ? unsqueeze(x, dim) : x; };
    const int64_t dim = options.batch_first ? 0 : 1;
    std::array<Var, 3> y =
        run(unsqueeze(input, dim), with_batch(h, 1), with_batch(c, 1), direction);
    y[0] = squeeze(y[0], dim);
    for (size_t i : {1, 2})
      if (y[i].defined()) y[i] = squeeze(y[i], 1);
    return y;
  }
  if (input.ndim() != 3 || input.size(-1) != input_size)
    fail(name_, "input must be time, batch (either order: batch_first), features", input.shape(),
         " for ", input_size, " features");
  Var x = options.batch_first ? transpose(input, 0, 1) : input;
  const size_t directions = options.bidirectional ? 2 : 1;
  for (const Var* state : {&h, &c}) {
    const Shape need{static_cast<int64_t>(weights.size()), x.size(1), hidden_size};
    if (state->defined() && !(state->shape() == need))
      fail(name_, "the initial state must be [layers · directions, B, H]", state->shape(),
           ", need ", need);
  }
  std::vector<Var> h_n, c_n;
  for (size_t layer = 0; layer * directions < weights.size(); ++layer) {
    if (layer > 0) x = dropout(x, options.dropout, is_training(), *generator_);
    std::vector<Var> outputs;
    for (size_t d = 0; d < directions; ++d) {
      const size_t i = layer * directions + d;
      auto part = [&](const Var& state) {
        return state.defined() ? select(state, 0, static_cast<int64_t>(i)) : Var();
      };
      const std::array<Var, 3> y = direction(x, part(h), part(c), weights[i], d == 1);
      outputs.push_back(y[0]);
      h_n.push_back(y[1]);
      if (y[2].defined()) c_n.push_back(y[2]);
    }
    x = directions == 1 ? outputs[0] : cat(outputs, 2);
  }
  return {options.batch_first ? transpose(x, 0, 1) : x, stack(h_n, 0),
          c_n.empty() ? Var() : stack(c_n, 0)};
}

RnnCell::RnnCell(int64_t gates, int64_t input_size, int64_t hidden_size, bool bias,
                 Generator& generator) {
  check_sizes("cell", input_size, hidden_size);
  weights = make_weights(gates, input_size, hidden_size, bias, generator);
}

Var RnnCell::initial(const Var& x) const {
  return Var(Tensor::zeros({x.size(0), weights.weight_hh.size(1)}, x.dtype()));
}

void RnnCell::visit(Visitor& v) {
  v("weight_ih", weights.weight_ih);
  v("weight_hh", weights.weight_hh);
  v("bias_ih", weights.bias_ih);
  v("bias_hh", weights.bias_hh);
}

}  // namespace glass
