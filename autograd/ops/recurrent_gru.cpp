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

// r, z = σ(x + h);  n = tanh(x_n + r·h_n);  h' = (1 - z)·n + z·h
Var gru_equations(const Var& x_gates, const Var& h_gates, const Var& h) {
  const std::vector<Var> x = split(x_gates, h.size(-1), -1), u = split(h_gates, h.size(-1), -1);
  const Var r = sigmoid(x[0] + u[0]), z = sigmoid(x[1] + u[1]), n = tanh(x[2] + r * u[2]);
  return (1.0 - z) * n + z * h;
}

struct GruCell {
  static constexpr const char* name = "gru_cell";
  static constexpr Keep keep{.inputs = 7};
  Tensor activated{};

  Tensor forward(const Tensor& x_gates, const Tensor& h_gates, const Tensor& h) {
    activated = Tensor::empty({h.size(0), 4 * h.size(1)}, h.dtype());
    GruStep step;
    step.x_gates = x_gates.contiguous();
    step.h_gates = h_gates.contiguous();
    step.activated = activated;
    step.h_before = h.contiguous();
    step.h = Tensor::empty(h.shape(), h.dtype());
    if (h.numel() > 0) kernels(h).gru_step(step);
    return step.h;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor h_before = saved.input(2).value().contiguous();
    const int64_t B = h_before.size(0), H = h_before.size(1);
    GruStepBackward step;
    step.activated = activated;
    step.h_start = h_before;
    step.dh = b.grad().value().clone();
    step.d_gates = Tensor::empty(activated.shape(), activated.dtype());
    if (h_before.numel() > 0) kernels(h_before).gru_step_backward(step);
    if (b.needs(0)) {
      const Tensor d = Tensor::empty({B, 3 * H}, h_before.dtype());
      d.narrow(1, 0, 2 * H).copy_(step.d_gates.narrow(1, 0, 2 * H));
      d.narrow(1, 2 * H, H).copy_(step.d_gates.narrow(1, 3 * H, H));
      b.add(0, d);
    }
    b.add(1, step.d_gates.narrow(1, 0, 3 * H));
    b.add(2, step.dh);
  }
  Var definition(const Var& x_gates, const Var& h_gates, const Var& h) const {
    return gru_equations(x_gates, h_gates, h);
  }
};

struct GruSequence {
  static constexpr const char* name = "gru";
  static constexpr Keep keep{.inputs = ~0u, .outputs = 1};
  Steps steps;
  bool recording = false;
  Tensor activated{};

  std::array<Tensor, 2> forward(const Tensor& x, const Tensor& h0, const Tensor& weight_ih,
                                const Tensor& weight_hh, const Tensor& bias_ih,
                                const Tensor& bias_hh) {
    const int64_t T = x.size(0), B = x.size(1), H = weight_hh.size(1);
    const DType dtype = x.dtype();
    const Tensor x_gates = matmul(x, weight_ih.transpose(0, 1));
    activated = Tensor::empty({recording ? T : 1, B, 4 * H}, dtype);
    const Tensor output = Tensor::empty({T, B, H}, dtype);
    GruStep step;
    step.lengths = steps.lengths;
    if (bias_ih.defined()) {
      step.x_bias = bias_ih.contiguous();
      step.h_bias = bias_hh.contiguous();
    }
    step.h_gates = Tensor::empty({B, 3 * H}, dtype);
    step.h = h0.defined() ? h0.clone() : Tensor::zeros({B, H}, dtype);
    step.h_before = step.h;
    for (int64_t k = 0; k < T && B > 0; ++k) {
      step.t = steps.at(k, T);
      step.x_gates = x_gates.select(0, step.t);
      step.activated = activated.select(0, recording ? step.t : 0);
      step.output = output.select(0, step.t);
      kernels(x).gemm(step.h, weight_hh.transpose(0, 1), 0, step.h_gates);
      kernels(x).gru_step(step);
    }
    if (!recording) activated = Tensor();
    return {output, step.h};
  }

  // Per step: dgates from dh, then dh += dgates·W_hh. The rest is a product over all steps: for
  // W_hh of the first three blocks of dgates, for W_ih of the first two and the fourth.
  void backward(Backward& b, const Saved& saved) const {
    const Tensor &h0 = saved.input(1).value(), &weight_ih = saved.input(2).value();
    const Tensor &weight_hh = saved.input(3).value(), &output = saved.output_value(0);
    const int64_t T = output.size(0), B = output.size(1), H = output.size(2);
    const DType dtype = output.dtype();
    const Tensor d_gates = Tensor::empty({T, B, 4 * H}, dtype);
    const Tensor d_output = b.has_grad(0) ? b.grad(0).value().contiguous() : Tensor();
    GruStepBackward step;
    step.reverse = steps.reverse;
    step.lengths = steps.lengths;
    step.h_start = h0.defined() ? h0.contiguous() : Tensor::zeros({B, H}, dtype);
    step.dh = b.has_grad(1) ? b.grad(1).value().clone() : Tensor::zeros({B, H}, dtype);
    if (b.needs(4) || b.needs(5)) step.d_bias = Tensor::zeros({4 * H}, dtype);
    for (int64_t k = T - 1; k >= 0 && B > 0; --k) {
      step.t = steps.at(k, T);
      step.activated = activated.select(0, step.t);
      step.h_before = k > 0 ? output.select(0, steps.at(k - 1, T)) : Tensor();
      if (d_output.defined()) step.d_output = d_output.select(0, step.t);
      step.d_gates = d_gates.select(0, step.t);
      kernels(output).gru_step_backward(step);
      if (k > 0 || b.needs(1))
        kernels(output).gemm(step.d_gates.narrow(1, 0, 3 * H), weight_hh, 1, step.dh);
    }
    const Tensor rows = as_rows(d_gates);
    const Tensor gates = rows.narrow(1, 0, 2 * H), fresh = rows.narrow(1, 3 * H, H);
    if (b.needs(0)) {
      const Tensor dx = matmul(gates, weight_ih.narrow(0, 0, 2 * H));
      gemm_into(fresh, weight_ih.narrow(0, 2 * H, H), 1, dx);
      b.add(0, dx.reshape({T, B, weight_ih.size(1)}));
    }
    b.add(1, step.dh);
    if (b.needs(2)) {
      const Tensor x = as_rows(steps.without_padding(saved.input(0).value()));
      const Tensor dw = Tensor::empty(weight_ih.shape(), dtype);
      gemm_into(gates.transpose(0, 1), x, 0, dw.narrow(0, 0, 2 * H));
      gemm_into(fresh.transpose(0, 1), x, 0, dw.narrow(0, 2 * H, H));
      b.add(2, dw);
    }
    if (b.needs(3)) steps.add_recurrent_product(b, 3, 3 * H, d_gates, output, h0);
    if (b.needs(4)) {
      const Tensor parts[] = {step.d_bias.narrow(0, 0, 2 * H), step.d_bias.narrow(0, 3 * H, H)};
      b.add(4, cat(parts, 0));
    }
    if (b.needs(5)) b.add(5, step.d_bias.narrow(0, 0, 3 * H).clone());
  }

  std::array<Var, 2> definition(const Var& x, const Var& h0, const Var& weight_ih,
                                const Var& weight_hh, const Var& bias_ih,
                                const Var& bias_hh) const {
    const auto y = steps.run(
        x, h0, Var(), weight_hh.size(1),
        [&](const Var& x_t, const Var& h, const Var&) -> std::array<Var, 2> {
          return {gru_equations(linear(x_t, weight_ih, bias_ih), linear(h, weight_hh, bias_hh), h),
                  Var()};
        });
    return {y[0], y[1]};
  }
};

}  // namespace

std::array<Var, 2> gru_sequence(In x, const Var& h0, In weight_ih, In weight_hh, const Var& bias_ih,
                                const Var& bias_hh, const std::vector<int64_t>& lengths,
                                bool reverse) {
  const int64_t H = check_recurrent("gru", 3, *x, *weight_ih, *weight_hh, {&bias_ih, &bias_hh});
  if (bias_ih.defined() != bias_hh.defined()) fail("gru", "needs both biases or none");
  check_state("gru", "h0", *x, h0, H);
  return record(GruSequence{Steps("gru", lengths, x->size(0), x->size(1), reverse)}, x.where, x,
                In(h0), weight_ih, weight_hh, In(bias_ih), In(bias_hh));
}

Var gru_cell(In x_gates, In h_gates, In h) {
  if (h->ndim() != 2 || !(x_gates->shape() == Shape{h->size(0), 3 * h->size(1)}) ||
      !(h_gates->shape() == x_gates->shape()))
    fail("gru_cell", "x_gates and h_gates must be [B, 3H] and h [B, H]", x_gates->shape(), ", ",
         h_gates->shape(), " and ", h->shape());
  check_same_dtype("gru_cell", x_gates->dtype(), h->dtype());
  check_same_dtype("gru_cell", h_gates->dtype(), h->dtype());
  return record(GruCell{}, x_gates, h_gates, h);
}

namespace {

struct GruCase {
  int64_t T, B, I, H;
  std::vector<int64_t> lengths = {};
  bool reverse = false, bias = true, state = true;
};

Sample gru_sample(std::string label, const GruCase& c) {
  Sample sample{};
  sample.label = std::move(label);
  if (c.T == 0) sample.expect = Verdict::vacuous;  // the state stays
  sample.inputs = {{{c.T, c.B, c.I}}, {{3 * c.H, c.I}, -1, 1}, {{3 * c.H, c.H}, -1, 1}};
  if (c.bias) sample.inputs.insert(sample.inputs.end(), 2, {{3 * c.H}, -1, 1});
  if (c.state) sample.inputs.push_back({{c.B, c.H}, -1, 1});
  const auto arguments = [c](const Vars& in) {
    return std::array<Var, 6>{in[0], c.state ? in.back() : Var(), in[1],
                              in[2], c.bias ? in[3] : Var(),      c.bias ? in[4] : Var()};
  };
  sample.f = [=](const Vars& in) {
    const auto a = arguments(in);
    const auto y = gru_sequence(a[0], a[1], a[2], a[3], a[4], a[5], c.lengths, c.reverse);
    return Vars(y.begin(), y.end());
  };
  sample.definition = [=](const Vars& in) {
    const auto a = arguments(in);
    const GruSequence op{Steps("gru", c.lengths, c.T, c.B, c.reverse)};
    const auto y = op.definition(a[0], a[1], a[2], a[3], a[4], a[5]);
    return Vars(y.begin(), y.end());
  };
  return sample;
}

Sample gru_cell_sample(std::string label, int64_t B, int64_t H) {
  return {.label = std::move(label),
          .inputs = {{{B, 3 * H}}, {{B, 3 * H}}, {{B, H}}},
          .f = [](const Vars& in) { return Vars{gru_cell(in[0], in[1], in[2])}; },
          .definition = [](const Vars& in) { return Vars{gru_equations(in[0], in[1], in[2])}; }};
}

}  // namespace

std::vector<Entry> gru_ops() {
  const auto call = [](const Shape& x, const Shape& w_ih, const Shape& w_hh, const Shape& bias,
                       const std::vector<int64_t>& lengths) {
    gru_sequence(ones(x), Var(), ones(w_ih), ones(w_hh), ones(bias), ones(bias), lengths);
  };
  return {
      {.name = "gru_sequence",
       .kind = EntryKind::fused,
       .formula = "r, z = σ(W·x + b + U·h + d), n = tanh(W·x + b + r·(U·h + d)); "
                  "h' = (1 - z)·n + z·h",
       .gradient = "dn = dh·(1 - z)·(1 - n²), dz = dh·(h - n)·z·(1 - z), "
                   "dr = dn·(U·h + d)·r·(1 - r)",
       .notes = "The reset gate acts after the product. Nothing beyond a row's length is read; the "
                "output there is 0.",
       .samples = {gru_sample("sequence", {3, 2, 2, 3}),
                   gru_sample("reverse", {3, 2, 2, 3, {}, true}),
                   gru_sample("lengths", {4, 4, 2, 2, {2, 4, 0, 1}}),
                   gru_sample("lengths, reverse", {4, 4, 2, 2, {2, 4, 0, 1}, true}),
                   gru_sample("lengths, zero state", {3, 2, 2, 2, {3, 1}, true, true, false}),
                   gru_sample("no bias", {3, 2, 2, 2, {}, false, false}),
                   gru_sample("one step, one row, one unit", {1, 1, 1, 1}),
                   gru_sample("no steps", {0, 2, 2, 2}), gru_sample("no rows", {2, 0, 2, 2})},
       .errors =
           {{"input size",
             [=] {
               call({4, 2, 5}, {9, 2}, {9, 3}, {9}, {});
             },
             "input size is not the weight's"},
            {"an LSTM's weight",
             [=] {
               call({4, 2, 2}, {12, 2}, {12, 3}, {12}, {});
             },
             "[12, 3] with 3 gates"},
            {"one bias",
             [] {
               gru_sequence(ones({2, 1, 1}), Var(), ones({3, 1}), ones({3, 1}), ones({3}), Var());
             },
             "both biases or none"},
            {"length beyond the end",
             [=] {
               call({4, 2, 2}, {9, 2}, {9, 3}, {9}, {4, 5});
             },
             "5 in row 1, must be in 0 … 4"}}},
      {.name = "gru_cell",
       .kind = EntryKind::fused,
       .formula = "r, z = σ(x + u), n = tanh(x + r·u); h' = (1 - z)·n + z·h",
       .gradient = "as gru_sequence, one step",
       .samples = {gru_cell_sample("batch", 3, 2), gru_cell_sample("one row", 1, 3),
                   gru_cell_sample("no rows", 0, 2), gru_cell_sample("wide", 2, 70)},
       .errors = {{"sizes",
                   [] {
                     gru_cell(ones({2, 9}), ones({2, 9}), ones({2, 2}));
                   },
                   "[2, 9], [2, 9] and [2, 2]"}}}};
}

}  // namespace glass
