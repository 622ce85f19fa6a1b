#include "autograd/ops/recurrent.h"

#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/recurrent_steps.h"
#include "autograd/ops/shape.h"
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
  Tensor input{}, activated{}, cells{};

  std::array<Tensor, 3> forward(const Tensor& x, const Tensor& h0, const Tensor& c0,
                                const Tensor& weight_ih, const Tensor& weight_hh,
                                const Tensor& bias) {
    const int64_t T = x.size(0), B = x.size(1), H = weight_hh.size(1);
    const DType dtype = x.dtype();
    input = x.contiguous();
    // One product for the inputs of all steps; each step adds its own product in place.
    activated = matmul(input, weight_ih.transpose(0, 1));
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
    if (!recording) input = activated = Tensor();
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
    if (b.needs(3)) b.add_product(3, as_rows(d_gates), as_rows(steps.without_padding(input)));
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

}  // namespace glass
