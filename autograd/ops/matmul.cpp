#include "autograd/ops/matmul.h"

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// dA = dY·Bᵀ, dB = Aᵀ·dY, for matrices with any leading dims
struct Matmul {
  static constexpr const char* name = "matmul";
  static constexpr Keep keep{.inputs = 3};
  Tensor forward(const Tensor& a, const Tensor& b) const { return matmul(a, b); }
  void backward(Backward& b, const Saved& saved) const {
    const Var &left = saved.input(0), &right = saved.input(1), &dy = b.grad();
    if (b.needs(0)) b.add(0, matmul(dy, transpose(right, -2, -1)));
    if (!b.needs(1)) return;
    if (right.ndim() == 2 && !b.create_graph()) {
      const int64_t rows = left.numel() / std::max<int64_t>(1, left.size(-1));
      b.add_product(1, left.value().reshape({rows, left.size(-1)}),
                    dy.value().reshape({rows, dy.size(-1)}));
    } else {
      b.add(1, matmul(transpose(left, -2, -1), dy));
    }
  }
};

// dx = dy·W, dW = dyᵀ·x over all rows, db = sum of dy over rows
struct Linear {
  static constexpr const char* name = "linear";
  static constexpr Keep keep{};
  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    const Tensor y = matmul(x, weight.transpose(0, 1));
    if (y.numel() > 0) y.add_(bias);
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor &x = saved.input(0).value(), &weight = saved.input(1).value();
    const Tensor& dy = b.grad().value();
    const int64_t rows = dy.numel() / std::max<int64_t>(1, dy.size(-1));
    if (b.needs(0)) b.add(0, matmul(dy, weight));
    if (b.needs(1))
      b.add_product(1, dy.reshape({rows, weight.size(0)}), x.reshape({rows, weight.size(1)}));
    if (b.needs(2)) b.add(2, sum(dy.reshape({rows, weight.size(0)}), {0}));
  }
  Var definition(const Var& x, const Var& weight, const Var& bias) const {
    return matmul(x, transpose(weight, 0, 1)) + bias;
  }
};

}  // namespace

Var matmul(In a, In b) {
  // Vectors become matrices of one row or column, so that one derivative serves all.
  if (a->ndim() == 1 && b->ndim() >= 1) {
    const Var row = unsqueeze(a, 0);
    return squeeze(matmul(In(row, a.where.file, a.where.line), b), b->ndim() == 1 ? 0 : -2);
  }
  if (b->ndim() == 1 && a->ndim() >= 1) {
    const Var column = unsqueeze(b, 1);
    return squeeze(matmul(a, In(column, a.where.file, a.where.line)), -1);
  }
  return record(Matmul{}, a, b);
}

Var linear(In x, In weight, const Var& bias) {
  if (weight->ndim() != 2 || x->ndim() < 1 || x->size(-1) != weight->size(1))
    fail("linear", "last size of x must be the weight's second", x->shape(), " and weight ",
         weight->shape());
  if (!bias.defined()) return matmul(x, In(transpose(weight, 0, 1), x.where.file, x.where.line));
  if (bias.ndim() != 1 || bias.size(0) != weight->size(0))
    fail("linear", "bias must have one entry per output", bias.shape(), " for weight ",
         weight->shape());
  return record(Linear{}, x, weight, In(bias, x.where.file, x.where.line));
}

}  // namespace glass
