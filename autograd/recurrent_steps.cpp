#include "autograd/recurrent_steps.h"

#include <algorithm>

#include "autograd/ops/comparison.h"
#include "autograd/ops/shape.h"
#include "tensor/ops.h"

namespace glass {

Steps::Steps(const char* op, const std::vector<int64_t>& valid, int64_t T, int64_t B,
             bool backwards)
    : reverse(backwards) {
  if (valid.empty()) return;
  if (static_cast<int64_t>(valid.size()) != B)
    fail(op, "needs one length per batch row", valid.size(), " lengths for ", B, " rows");
  for (size_t b = 0; b < valid.size(); ++b)
    if (valid[b] < 0 || valid[b] > T)
      fail(op, "a length is out of range", valid[b], " in row ", b, ", must be in 0 … ", T);
  const bool padded = std::any_of(valid.begin(), valid.end(), [&](int64_t n) { return n < T; });
  if (padded) lengths = Tensor::from(valid, {B});
}

Tensor as_rows(const Tensor& x) { return x.reshape({x.size(0) * x.size(1), x.size(2)}); }

Tensor Steps::without_padding(const Tensor& x) const {
  if (!lengths.defined()) return x;
  Tensor clean = x.clone();
  const int64_t* valid = lengths.data<int64_t>();
  for (int64_t b = 0; b < x.size(1); ++b)
    if (valid[b] < x.size(0)) clean.select(1, b).slice(0, valid[b]).zero_();
  return clean;
}

void Steps::add_recurrent_product(Backward& b, size_t i, int64_t G, const Tensor& d_gates,
                                  const Tensor& output, const Tensor& h0) const {
  const int64_t T = output.size(0), B = output.size(1);
  if (T == 0 || B == 0) return;
  // Behind the first step the state is the output of the step before. A row that begins later reads
  // the 0 of its padding here; its true first state follows below.
  const Tensor rows = as_rows(d_gates), later = rows.narrow(0, reverse ? 0 : B, (T - 1) * B);
  const Tensor left = later.narrow(1, 0, G);
  const Tensor right = as_rows(output.narrow(0, reverse ? 1 : 0, T - 1));
  if (!h0.defined()) return b.add_product(i, left, right);
  const Tensor product = matmul(left.transpose(0, 1), right);
  std::vector<int64_t> members, places;
  for (int64_t row = 0; row < B; ++row) {
    const int64_t valid = lengths.defined() ? lengths.data<int64_t>()[row] : T;
    if (valid == 0) continue;
    members.push_back(row);
    places.push_back((reverse ? valid - 1 : 0) * B + row);
  }
  const Shape shape{static_cast<int64_t>(members.size())};
  const Tensor first = index_select(rows, 0, Tensor::from(places, shape)).narrow(1, 0, G);
  const Tensor state = index_select(h0.contiguous(), 0, Tensor::from(members, shape));
  gemm_into(first.transpose(0, 1), state, 1, product);
  b.add(i, product);
}

std::array<Var, 3> Steps::run(const Var& x, const Var& h0, const Var& c0, int64_t hidden,
                              const Step& step) const {
  const int64_t T = x.size(0), B = x.size(1);
  const Var zeros(Tensor::zeros({B, hidden}, x.dtype()));
  Var h = h0.defined() ? h0 : zeros, c = c0;
  std::vector<Var> outputs(static_cast<size_t>(T));
  for (int64_t k = 0; k < T; ++k) {
    const int64_t t = at(k, T);
    const Var x_t = select(x, 0, t);
    Var& output = outputs[static_cast<size_t>(t)];
    if (!lengths.defined()) {
      const std::array<Var, 2> next = step(x_t, h, c);
      output = h = next[0];
      c = next[1];
      continue;
    }
    const Var valid =
        unsqueeze(Var(lengths) > Var(Tensor::full({B}, static_cast<double>(t), kInt64)), 1);
    const std::array<Var, 2> next = step(where(valid, x_t, 0.0), h, c);
    output = where(valid, next[0], 0.0);
    h = where(valid, next[0], h);
    if (c.defined()) c = where(valid, next[1], c);
  }
  return {T > 0 ? stack(outputs, 0) : Var(Tensor::zeros({0, B, hidden}, x.dtype())), h, c};
}

int64_t check_recurrent(const char* op, int64_t gates, const Var& x, const Var& weight_ih,
                        const Var& weight_hh, std::initializer_list<const Var*> biases) {
  if (x.ndim() != 3) fail(op, "input must have three dimensions, time, batch, features", x.shape());
  if (weight_hh.ndim() != 2 || weight_hh.size(0) != gates * weight_hh.size(1))
    fail(op, "the recurrent weight must have one row per gate and unit", weight_hh.shape(),
         " with ", gates, " gates");
  if (weight_ih.ndim() != 2 || weight_ih.size(0) != weight_hh.size(0))
    fail(op, "the two weights need the same number of rows", weight_ih.shape(), " and ",
         weight_hh.shape());
  if (x.size(2) != weight_ih.size(1))
    fail(op, "input size is not the weight's", x.shape(), " and weight ", weight_ih.shape(), " (",
         x.size(2), " and ", weight_ih.size(1), ")");
  check_same_dtype(op, x.dtype(), weight_ih.dtype());
  check_same_dtype(op, x.dtype(), weight_hh.dtype());
  for (const Var* bias : biases) {
    if (!bias->defined()) continue;
    check_same_dtype(op, x.dtype(), bias->dtype());
    if (!(bias->shape() == Shape{weight_hh.size(0)}))
      fail(op, "a bias must have one entry per gate and unit", bias->shape(), " for weight ",
           weight_hh.shape());
  }
  return weight_hh.size(1);
}

void check_state(const char* op, const char* name, const Var& x, const Var& state, int64_t H) {
  if (!state.defined()) return;
  check_same_dtype(op, x.dtype(), state.dtype());
  if (!(state.shape() == Shape{x.size(1), H}))
    fail(op, "an initial state must be [B, H]", name, " is ", state.shape(), ", need ",
         Shape{x.size(1), H});
}

}  // namespace glass
