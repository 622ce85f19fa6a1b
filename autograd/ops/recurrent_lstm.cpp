#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/recurrent.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/recurrent_steps.h"
#include "autograd/samples.h"
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// i, f, o = σ(gates), g = tanh(gates);  c' = f·c + i·g;  h' = o·tanh(c')
std::array<Var, 2> lstm_equations(const Var& gates, const Var& c) {
  const std::vector<Var> z = split(gates, c.size(-1), -1);
  const Var i = sigmoid(z[0]), f = sigmoid(z[1]), g = tanh(z[2]), o = sigmoid(z[3]);
  const Var c_new = f * c + i * g;
  return {o * tanh(c_new), c_new};
}

struct LstmCell {
  static constexpr const char* name = "lstm_cell";
  static constexpr Keep keep{.inputs = 3, .outputs = 2};
  Tensor activated{};

  std::array<Tensor, 2> forward(const Tensor& gates, const Tensor& c) {
    activated = Tensor::empty(gates.shape(), gates.dtype());
    const Tensor h = Tensor::empty(c.shape(), c.dtype()),
                 cell = Tensor::empty(c.shape(), c.dtype());
    LstmStep step;
    step.gates = gates.contiguous();
    step.activated = activated;
    step.c_before = c.contiguous();
    step.c = cell;
    step.h = h;
    if (c.numel() > 0) kernels(c).lstm_step(step);
    return {h, cell};
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor c_before = saved.input(1).value().contiguous();
    LstmStepBackward step;
    step.activated = activated;
    step.c = saved.output_value(1);
    step.c_start = c_before;
    step.d_output = b.grad(0).value().contiguous();
    step.dc = b.has_grad(1) ? b.grad(1).value().clone()
                            : Tensor::zeros(c_before.shape(), c_before.dtype());
    step.d_gates = Tensor::empty(activated.shape(), activated.dtype());
    if (c_before.numel() > 0) kernels(c_before).lstm_step_backward(step);
    b.add(0, std::move(step.d_gates));
    b.add(1, std::move(step.dc));
  }
  std::array<Var, 2> definition(const Var& gates, const Var& c) const {
    return lstm_equations(gates, c);
  }
};

struct LstmSequence {
  static constexpr const char* name = "lstm";
  static constexpr Keep keep{.inputs = ~0u, .outputs = 1};
  Steps steps;
  bool recording = false;
  Tensor activated{}, cells{};

  std::array<Tensor, 3> forward(const Tensor& x, const Tensor& h0, const Tensor& c0,
                                const Tensor& weight_ih, const Tensor& weight_hh,
                                const Tensor& bias) {
    const int64_t T = x.size(0), B = x.size(1), H = weight_hh.size(1);
    const DType dtype = x.dtype();
    // One product for the inputs of all steps; each step adds its own product in place.
    activated = matmul(x, weight_ih.transpose(0, 1));
    if (recording) cells = Tensor::empty({T, B, H}, dtype);
    const Tensor output = Tensor::empty({T, B, H}, dtype);
    LstmStep step;
    step.lengths = steps.lengths;
    if (bias.defined()) step.bias = bias.contiguous();
    step.h = h0.defined() ? h0.clone() : Tensor::zeros({B, H}, dtype);
    step.c = c0.defined() ? c0.clone() : Tensor::zeros({B, H}, dtype);
    step.c_before = step.c;
    for (int64_t k = 0; k < T && B > 0; ++k) {
      step.t = steps.at(k, T);
      step.gates = step.activated = activated.select(0, step.t);
      if (k > 0 || h0.defined()) kernels(x).gemm(step.h, weight_hh.transpose(0, 1), 1, step.gates);
      step.output = output.select(0, step.t);
      if (recording) step.cells = cells.select(0, step.t);
      kernels(x).lstm_step(step);
    }
    if (!recording) activated = Tensor();
    return {output, step.h, step.c};
  }

  // Per step: dgates from dh and dc, then dh += dgates·W_hh. The rest is one product each.
  void backward(Backward& b, const Saved& saved) const {
    const Tensor &c0 = saved.input(2).value(), &weight_ih = saved.input(3).value();
    const Tensor &weight_hh = saved.input(4).value(), &output = saved.output_value(0);
    const int64_t T = output.size(0), B = output.size(1), H = output.size(2);
    const DType dtype = output.dtype();
    const Tensor d_gates = Tensor::empty({T, B, 4 * H}, dtype);
    const Tensor d_output = b.has_grad(0) ? b.grad(0).value().contiguous() : Tensor();
    LstmStepBackward step;
    step.reverse = steps.reverse;
    step.lengths = steps.lengths;
    step.c_start = c0.defined() ? c0.contiguous() : Tensor::zeros({B, H}, dtype);
    step.dh = b.has_grad(1) ? b.grad(1).value().clone() : Tensor::zeros({B, H}, dtype);
    step.dc = b.has_grad(2) ? b.grad(2).value().clone() : Tensor::zeros({B, H}, dtype);
    step.d_bias = b.needs(5) ? Tensor::zeros({4 * H}, dtype) : Tensor();
    for (int64_t k = T - 1; k >= 0 && B > 0; --k) {
      step.t = steps.at(k, T);
      step.activated = activated.select(0, step.t);
      step.c = cells.select(0, step.t);
      step.c_before = k > 0 ? cells.select(0, steps.at(k - 1, T)) : Tensor();
      if (d_output.defined()) step.d_output = d_output.select(0, step.t);
      step.d_gates = d_gates.select(0, step.t);
      kernels(output).lstm_step_backward(step);
      if (k > 0 || b.needs(1)) kernels(output).gemm(step.d_gates, weight_hh, 1, step.dh);
    }
    if (b.needs(0)) b.add(0, matmul(d_gates, weight_ih));
    b.add(1, step.dh);
    b.add(2, step.dc);
    if (b.needs(3))
      b.add_product(3, as_rows(d_gates), as_rows(steps.without_padding(saved.input(0).value())));
    if (b.needs(4))
      steps.add_recurrent_product(b, 4, 4 * H, d_gates, output, saved.input(1).value());
    if (b.needs(5)) b.add(5, step.d_bias);
  }

  // gates = W_ih·x_t + W_hh·h + bias, then the equations of a step.
  std::array<Var, 3> definition(const Var& x, const Var& h0, const Var& c0, const Var& weight_ih,
                                const Var& weight_hh, const Var& bias) const {
    const int64_t H = weight_hh.size(1);
    const Var c = c0.defined() ? c0 : Var(Tensor::zeros({x.size(1), H}, x.dtype()));
    return steps.run(x, h0, c, H, [&](const Var& x_t, const Var& h, const Var& c_before) {
      return lstm_equations(linear(x_t, weight_ih, bias) + linear(h, weight_hh), c_before);
    });
  }
};

}  // namespace

std::array<Var, 3> lstm_sequence(In x, const Var& h0, const Var& c0, In weight_ih, In weight_hh,
                                 const Var& bias, const std::vector<int64_t>& lengths,
                                 bool reverse) {
  const int64_t H = check_recurrent("lstm", 4, *x, *weight_ih, *weight_hh, {&bias});
  check_state("lstm", "h0", *x, h0, H);
  check_state("lstm", "c0", *x, c0, H);
  return record(LstmSequence{Steps("lstm", lengths, x->size(0), x->size(1), reverse)}, x.where, x,
                In(h0), In(c0), weight_ih, weight_hh, In(bias));
}

std::array<Var, 2> lstm_cell(In gates, In c) {
  if (c->ndim() != 2 || !(gates->shape() == Shape{c->size(0), 4 * c->size(1)}))
    fail("lstm_cell", "gates must be [B, 4H] and c [B, H]", gates->shape(), " and ", c->shape());
  check_same_dtype("lstm_cell", gates->dtype(), c->dtype());
  return record(LstmCell{}, gates, c);
}

namespace {

// Sizes of a sample of a recurrent op, and which inputs it has beside x and the weights.
struct LstmCase {
  int64_t T, B, I, H;
  std::vector<int64_t> lengths = {};
  bool reverse = false, bias = true, state = true;
};

Sample lstm_sample(std::string label, const LstmCase& c) {
  Sample sample{};
  sample.label = std::move(label);
  if (c.T == 0) sample.expect = Verdict::vacuous;  // the states stay
  sample.inputs = {{{c.T, c.B, c.I}}, {{4 * c.H, c.I}, -1, 1}, {{4 * c.H, c.H}, -1, 1}};
  if (c.bias) sample.inputs.push_back({{4 * c.H}, -1, 1});
  if (c.state) sample.inputs.insert(sample.inputs.end(), 2, {{c.B, c.H}, -1, 1});
  const auto arguments = [c](const Vars& in) {
    const size_t state = c.bias ? 4 : 3;
    return std::array<Var, 6>{
        in[0], c.state ? in[state] : Var(), c.state ? in[state + 1] : Var(), in[1],
        in[2], c.bias ? in[3] : Var()};
  };
  sample.f = [=](const Vars& in) {
    const auto a = arguments(in);
    const auto y = lstm_sequence(a[0], a[1], a[2], a[3], a[4], a[5], c.lengths, c.reverse);
    return Vars(y.begin(), y.end());
  };
  sample.definition = [=](const Vars& in) {
    const auto a = arguments(in);
    const LstmSequence op{Steps("lstm", c.lengths, c.T, c.B, c.reverse)};
    const auto y = op.definition(a[0], a[1], a[2], a[3], a[4], a[5]);
    return Vars(y.begin(), y.end());
  };
  return sample;
}

Sample lstm_cell_sample(std::string label, int64_t B, int64_t H) {
  return {.label = std::move(label),
          .inputs = {{{B, 4 * H}}, {{B, H}}},
          .f =
              [](const Vars& in) {
                const auto y = lstm_cell(in[0], in[1]);
                return Vars(y.begin(), y.end());
              },
          .definition =
              [](const Vars& in) {
                const auto y = lstm_equations(in[0], in[1]);
                return Vars(y.begin(), y.end());
              }};
}

}  // namespace

std::vector<Entry> lstm_ops() {
  const auto call = [](const Shape& x, const Shape& w_ih, const Shape& w_hh, const Shape& bias,
                       const std::vector<int64_t>& lengths, const Shape& state = {2, 3}) {
    lstm_sequence(ones(x), ones(state), ones(state), ones(w_ih), ones(w_hh), ones(bias), lengths);
  };
  return {{.name = "lstm_sequence",
           .kind = EntryKind::fused,
           .formula = "i, f, o = σ(W·x + U·h + b), g = tanh(W·x + U·h + b); c' = f·c + i·g; "
                      "h' = o·tanh(c')",
           .gradient = "di = dc·g·i·(1 - i), df = dc·c·f·(1 - f), dg = dc·i·(1 - g²), "
                       "do = dh·tanh(c')·o·(1 - o), with dc = dc' + dh·o·(1 - tanh²(c'))",
           .notes = "Nothing beyond a row's length is read; the output there is 0.",
           .samples = {lstm_sample("sequence", {3, 2, 2, 3}),
                       lstm_sample("reverse", {3, 2, 2, 3, {}, true}),
                       lstm_sample("lengths", {4, 4, 2, 2, {2, 4, 0, 1}}),
                       lstm_sample("lengths, reverse", {4, 4, 2, 2, {2, 4, 0, 1}, true}),
                       lstm_sample("lengths, zero state", {3, 2, 2, 2, {3, 1}, true, true, false}),
                       lstm_sample("no bias", {3, 2, 2, 2, {}, false, false}),
                       lstm_sample("one step, one row, one unit", {1, 1, 1, 1}),
                       lstm_sample("zero state", {3, 2, 2, 2, {}, false, true, false}),
                       lstm_sample("no steps", {0, 2, 2, 2}), lstm_sample("no rows", {2, 0, 2, 2})},
           .errors = {{"input of two axes",
                       [=] {
                         call({4, 2}, {12, 2}, {12, 3}, {12}, {});
                       },
                       "three dimensions, time, batch, features: [4, 2]"},
                      {"input size",
                       [=] {
                         call({4, 2, 5}, {12, 2}, {12, 3}, {12}, {});
                       },
                       "input size is not the weight's"},
                      {"recurrent weight",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 4}, {12}, {});
                       },
                       "[12, 4] with 4 gates"},
                      {"two weights",
                       [=] {
                         call({4, 2, 2}, {8, 2}, {12, 3}, {12}, {});
                       },
                       "[8, 2] and [12, 3]"},
                      {"bias",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 3}, {8}, {});
                       },
                       "[8] for weight [12, 3]"},
                      {"state",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 3}, {12}, {}, {3, 3});
                       },
                       "h0 is [3, 3], need [2, 3]"},
                      {"number of lengths",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 3}, {12}, {4});
                       },
                       "1 lengths for 2 rows"},
                      {"length beyond the end",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 3}, {12}, {4, 5});
                       },
                       "5 in row 1, must be in 0 … 4"},
                      {"negative length",
                       [=] {
                         call({4, 2, 2}, {12, 2}, {12, 3}, {12}, {-1, 4});
                       },
                       "-1 in row 0"},
                      {"two types",
                       [] {
                         lstm_sequence(ones({2, 1, 1}, kFloat32), Var(), Var(), ones({4, 1}),
                                       ones({4, 1}), Var());
                       },
                       "float32 and float64"}}},
          {.name = "lstm_cell",
           .kind = EntryKind::fused,
           .formula = "c' = σ(f)·c + σ(i)·tanh(g), h' = σ(o)·tanh(c')",
           .gradient = "as lstm_sequence, one step",
           .samples = {lstm_cell_sample("batch", 3, 2), lstm_cell_sample("one row", 1, 3),
                       lstm_cell_sample("no rows", 0, 2), lstm_cell_sample("wide", 2, 70)},
           .errors = {{"sizes",
                       [] {
                         lstm_cell(ones({2, 8}), ones({2, 3}));
                       },
                       "[2, 8] and [2, 3]"},
                      {"two types",
                       [] {
                         lstm_cell(ones({2, 8}), ones({2, 2}, kFloat32));
                       },
                       "float64 and float32"}}}};
}

}  // namespace glass
