#include "autograd/ops/matmul.h"

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// All leading dims as one: how often a matrix with the last size of shape as columns has a row.
int64_t row_count(const Shape& shape) {
  int64_t rows = 1;
  for (int i = 0; i < shape.size() - 1; ++i) rows *= shape[i];
  return rows;
}
Tensor as_matrix(const Tensor& x) { return x.reshape({row_count(x.shape()), x.size(-1)}); }

// Adds leftᵀ·right to the gradient of input i, which is x.
void add_product(Backward& b, size_t i, const Var& x, const Var& left, const Var& right) {
  if (!b.needs(i)) return;
  const bool batches = x.ndim() == 3 && left.ndim() == 3 && right.ndim() == 3 &&
                       left.size(0) == x.size(0) && right.size(0) == x.size(0);
  if (batches && !b.create_graph())
    b.add_product(i, left.value(), right.value());
  else if (x.ndim() == 2 && !b.create_graph())
    b.add_product(i, as_matrix(left.value()), as_matrix(right.value()));
  else
    b.add(i, matmul(transpose(left, -2, -1), right));
}

// dA = dY·Bᵀ, dB = Aᵀ·dY, for matrices with any leading dims
struct Matmul {
  static constexpr const char* name = "matmul";
  static constexpr Keep keep{.inputs = 3};
  Tensor forward(const Tensor& a, const Tensor& b) const { return matmul(a, b); }
  void backward(Backward& b, const Saved& saved) const {
    const Var &left = saved.input(0), &right = saved.input(1), &dy = b.grad();
    if (b.needs(0)) b.add(0, matmul_transposed(dy, right));
    add_product(b, 1, right, left, dy);
  }
};

// dA = dY·B, dB = dYᵀ·A
struct MatmulTransposed {
  static constexpr const char* name = "matmul_transposed";
  static constexpr Keep keep{.inputs = 3};
  Tensor forward(const Tensor& a, const Tensor& b) const { return matmul(a, b.transpose(-2, -1)); }
  void backward(Backward& b, const Saved& saved) const {
    const Var &left = saved.input(0), &right = saved.input(1), &dy = b.grad();
    if (b.needs(0)) b.add(0, matmul(dy, right));
    add_product(b, 1, right, dy, left);
  }
  Var definition(const Var& a, const Var& b) const { return matmul(a, transpose(b, -2, -1)); }
};

// y = x·Wᵀ + b, with b there before the product is added to it.
Tensor linear_forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Shape shape = x.shape();
  shape[x.ndim() - 1] = weight.size(0);
  Tensor y = Tensor::empty(shape, x.dtype());
  if (y.numel() == 0) return y;
  if (bias.defined()) {
    check_same_dtype("linear", x.dtype(), bias.dtype());
    y.copy_(bias);
  }
  gemm_into(as_matrix(x), weight.transpose(0, 1), bias.defined() ? 1 : 0, as_matrix(y));
  return y;
}

// dx = dy·W, dW = dyᵀ·x over all rows, db = sum of dy over rows
void linear_backward(Backward& b, const Saved& saved, bool has_bias) {
  const Tensor &x = saved.input(0).value(), &weight = saved.input(1).value();
  const Tensor& dy = b.grad().value();
  if (b.needs(0)) b.add(0, matmul(dy, weight));
  const Tensor rows = as_matrix(dy);
  if (b.needs(1)) b.add_product(1, rows, as_matrix(x));
  if (has_bias && b.needs(2)) b.add(2, sum(rows, {0}));
}

struct Linear {
  static constexpr const char* name = "linear";
  Tensor forward(const Tensor& x, const Tensor& weight) const {
    return linear_forward(x, weight, Tensor());
  }
  void backward(Backward& b, const Saved& saved) const { linear_backward(b, saved, false); }
  Var definition(const Var& x, const Var& weight) const {
    return matmul(x, transpose(weight, 0, 1));
  }
};

struct LinearWithBias {
  static constexpr const char* name = "linear";
  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    return linear_forward(x, weight, bias);
  }
  void backward(Backward& b, const Saved& saved) const { linear_backward(b, saved, true); }
  Var definition(const Var& x, const Var& weight, const Var& bias) const {
    return matmul(x, transpose(weight, 0, 1)) + bias;
  }
};

}  // namespace

Var matmul(In a, In b) {
  // Vectors become matrices of one row or column, so that one derivative serves all.
  const auto here = [&](const Var& v) { return In(v, a.where.file, a.where.line); };
  if (a->ndim() == 1 && b->ndim() >= 1) {
    const Var row = unsqueeze(a, 0), y = matmul(here(row), b);
    return squeeze(here(y), b->ndim() == 1 ? 0 : -2);
  }
  if (b->ndim() == 1 && a->ndim() >= 1) {
    const Var column = unsqueeze(b, 1), y = matmul(a, here(column));
    return squeeze(here(y), -1);
  }
  return record(Matmul{}, a, b);
}

Var matmul_transposed(In a, In b) {
  if (a->ndim() < 2 || b->ndim() < 2 || a->size(-1) != b->size(-1))
    fail("matmul_transposed", "need at least two dimensions each and last sizes that agree",
         a->shape(), " · ", b->shape(), "ᵀ");
  return record(MatmulTransposed{}, a, b);
}

Var linear(In x, In weight, const Var& bias) {
  if (weight->ndim() != 2 || x->ndim() < 1 || x->size(-1) != weight->size(1))
    fail("linear", "last size of x must be the weight's second", x->shape(), " and weight ",
         weight->shape());
  if (!bias.defined()) return record(Linear{}, x, weight);
  if (bias.ndim() != 1 || bias.size(0) != weight->size(0))
    fail("linear", "bias must have one entry per output", bias.shape(), " for weight ",
         weight->shape());
  return record(LinearWithBias{}, x, weight, In(bias, x.where.file, x.where.line));
}

namespace {

// y[i, j] = Σ_k a[i, k]·b[k, j], for batches whose a and b may be shared (batch 1).
Numbers product(const Numbers& a, const Numbers& b, size_t m, size_t k, size_t n,
                size_t batch = 1) {
  const size_t step_a = a.size() == m * k ? 0 : m * k, step_b = b.size() == k * n ? 0 : k * n;
  Numbers y(batch * m * n);
  for (size_t t = 0; t < batch; ++t)
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t c = 0; c < k; ++c)
          y[(t * m + i) * n + j] += a[t * step_a + i * k + c] * b[t * step_b + c * n + j];
  return y;
}

Sample times(const char* label, Shape a, Shape b, size_t m, size_t k, size_t n, size_t batch = 1) {
  return {.label = label,
          .inputs = {{a}, {b}},
          .f = [](const Vars& v) { return Vars{matmul(v[0], v[1])}; },
          .reference = [=](const Columns& x) { return product(x[0], x[1], m, k, n, batch); }};
}

// b [.., n, k]; batches are of a, of b, or of both.
Sample turned(const char* label, Shape a, Shape b, size_t m, size_t k, size_t n, size_t batch = 1) {
  return {
      .label = label,
      .inputs = {{a}, {b}},
      .f = [](const Vars& v) { return Vars{matmul_transposed(v[0], v[1])}; },
      .definition = [](const Vars& v) { return Vars{MatmulTransposed{}.definition(v[0], v[1])}; },
      .reference =
          [=](const Columns& x) {
            Numbers rows(x[1].size());
            for (size_t t = 0; t * n * k < rows.size(); ++t)
              for (size_t j = 0; j < n; ++j)
                for (size_t c = 0; c < k; ++c)
                  rows[(t * k + c) * n + j] = x[1][(t * n + j) * k + c];
            return product(x[0], rows, m, k, n, batch);
          }};
}

Sample layer(const char* label, Shape x, Shape weight, bool bias) {
  const auto in = static_cast<size_t>(weight[1]), out = static_cast<size_t>(weight[0]);
  size_t rows = 1;
  for (int i = 0; i + 1 < x.size(); ++i) rows *= static_cast<size_t>(x[i]);
  std::vector<Input> inputs{{x}, {weight}};
  if (bias) inputs.push_back({{weight[0]}});
  return {.label = label,
          .inputs = std::move(inputs),
          .f = [=](const Vars& v) { return Vars{linear(v[0], v[1], bias ? v[2] : Var())}; },
          .definition =
              [=](const Vars& v) {
                return Vars{bias ? LinearWithBias{}.definition(v[0], v[1], v[2])
                                 : Linear{}.definition(v[0], v[1])};
              },
          .reference =
              [=](const Columns& v) {
                Numbers turned(in * out), y(rows * out, 0);
                for (size_t i = 0; i < out; ++i)
                  for (size_t j = 0; j < in; ++j) turned[j * out + i] = v[1][i * in + j];
                if (rows * out > 0) y = product(v[0], turned, rows, in, out);
                for (size_t i = 0; bias && i < y.size(); ++i) y[i] += v[2][i % out];
                return y;
              }};
}

}  // namespace

std::vector<Entry> matmul_ops() {
  const auto call = [](const Shape& a, const Shape& b) { matmul(ones(a), ones(b)); };
  const auto call_linear = [](const Shape& x, const Shape& weight, const Shape& bias) {
    linear(ones(x), ones(weight), ones(bias));
  };
  return {
      {.name = "matmul",
       .formula = "y = a·b, for every leading index",
       .gradient = "da = dy·bᵀ, db = aᵀ·dy",
       .notes = "1-d operands are a row on the left and a column on the right; leading axes "
                "broadcast.",
       .samples = {times("matrices", {2, 3}, {3, 4}, 2, 3, 4),
                   times("square", {2, 3}, {3, 3}, 2, 3, 3),
                   times("batch and matrix", {2, 2, 3}, {3, 2}, 4, 3, 2),
                   times("batches", {3, 2, 3}, {3, 3, 2}, 2, 3, 2, 3),
                   times("shared left", {2, 3}, {2, 3, 2}, 2, 3, 2, 2),
                   times("shared right", {2, 2, 3}, {1, 3, 2}, 2, 3, 2, 2),
                   times("two leading axes", {2, 2, 2, 3}, {2, 2, 3, 1}, 2, 3, 1, 4),
                   times("dot product", {3}, {3}, 1, 3, 1),
                   times("vector and matrix", {3}, {3, 2}, 1, 3, 2),
                   times("matrix and vector", {2, 3}, {3}, 2, 3, 1),
                   times("vector and batch", {3}, {2, 3, 2}, 1, 3, 2, 2),
                   times("batch and vector", {2, 2, 3}, {3}, 4, 3, 1),
                   times("nothing between", {2, 0}, {0, 3}, 2, 0, 3),
                   times("no rows", {0, 3}, {3, 2}, 0, 3, 2),
                   times("no columns", {2, 3}, {3, 0}, 2, 3, 0),
                   times("no batches", {0, 2, 3}, {3, 2}, 0, 3, 2)},
       .errors = {{"inner sizes",
                   [=] {
                     call({3, 4}, {5, 6});
                   },
                   "inner sizes differ: [3, 4] · [5, 6] (4 and 5)"},
                  {"batches",
                   [=] {
                     call({2, 2, 3}, {3, 3, 2});
                   },
                   "[2] and [3]"},
                  {"0-d", [=] { call({}, {2}); }, "at least one dimension"},
                  {"number", [] { matmul(2.0, ones({2})); }, "needs a Var here, not a number"},
                  {"integers",
                   [] {
                     matmul(ones({2, 2}, kInt64), ones({2, 2}, kInt64));
                   },
                   "got int64"},
                  {"two types",
                   [] {
                     matmul(ones({2, 2}), ones({2, 2}, kFloat32));
                   },
                   "float64 and float32"}},
       .replay = [](Replay& r) { return Vars{matmul(r["input"], r["other"])}; }},
      {.name = "matmul_transposed",
       .kind = EntryKind::fused,
       .formula = "y = a·bᵀ, for every leading index",
       .gradient = "da = dy·b, db = dyᵀ·a",
       .notes = "Of a right side that is used several times the products are gathered and done as "
                "one, also by batches.",
       .samples = {turned("matrices", {2, 3}, {4, 3}, 2, 3, 4),
                   turned("batches", {3, 2, 3}, {3, 2, 3}, 2, 3, 2, 3),
                   turned("square", {2, 3}, {3, 3}, 2, 3, 3),
                   turned("one query", {2, 1, 3}, {2, 4, 3}, 1, 3, 4, 2),
                   turned("batch and matrix", {2, 2, 3}, {2, 3}, 4, 3, 2),
                   turned("shared right", {2, 2, 3}, {1, 2, 3}, 2, 3, 2, 2),
                   turned("shared left", {2, 3}, {2, 2, 3}, 2, 3, 2, 2),
                   turned("nothing between", {1, 2, 0}, {1, 3, 0}, 2, 0, 3),
                   turned("no keys", {2, 2, 3}, {2, 0, 3}, 2, 3, 0, 2)},
       .errors = {{"last sizes",
                   [] {
                     matmul_transposed(ones({3, 4}), ones({4, 5}));
                   },
                   "[3, 4] · [4, 5]ᵀ"},
                  {"vectors",
                   [] {
                     matmul_transposed(ones({3}), ones({2, 3}));
                   },
                   "at least two dimensions"}},
       .replay = [](Replay& r) { return Vars{matmul_transposed(r["input"], r["other"])}; }},
      {.name = "linear",
       .kind = EntryKind::fused,
       .formula = "y = x·weightᵀ + bias",
       .gradient = "dx = dy·weight, dweight = dyᵀ·x, dbias = Σ dy over the rows",
       .notes = "The products of a weight that is used several times are gathered and done as "
                "one.",
       .samples = {layer("rows", {3, 2}, {4, 2}, true), layer("no bias", {3, 2}, {4, 2}, false),
                   layer("sequence", {2, 3, 2}, {2, 2}, true),
                   layer("one vector", {3}, {2, 3}, true),
                   layer("one vector, no bias", {3}, {2, 3}, false),
                   layer("no inputs", {4, 0}, {3, 0}, true),
                   layer("no inputs, no bias", {4, 0}, {3, 0}, false),
                   layer("no rows", {0, 2}, {3, 2}, true),
                   layer("no outputs", {2, 2}, {0, 2}, true)},
       .errors = {{"inner sizes", [=] { call_linear({3, 4}, {5, 6}, {5}); },
                   "[3, 4] and weight [5, 6]"},
                  {"bias", [=] { call_linear({3, 6}, {5, 6}, {6}); }, "[6] for weight [5, 6]"},
                  {"weight of one axis", [=] { call_linear({3, 6}, {6}, {6}); }, "weight [6]"},
                  {"two types", [] { linear(ones({2, 2}), ones({2, 2}), ones({2}, kFloat32)); },
                   "float64 and float32"}},
       .replay = [](Replay& r) { return Vars{linear(r["input"], r["weight"], r.maybe("bias"))}; }}};
}

}  // namespace glass
