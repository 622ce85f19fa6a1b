#include "autograd/ops/attention.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// weights = exp(scores - largest) / sum, over what is allowed. Where the sum is 0, so are they. The
// largest score is a constant here: it cancels.
Var softmax_equations(const Var& scores, const Tensor& allowed) {
  if (scores.numel() == 0) return scores * 1.0;
  const Var may(allowed.defined() ? allowed : Tensor::full(scores.shape(), 1, kBool));
  const Var top = amax(where(may, scores.detach(), -INFINITY), {-1}, true);
  const Var shift = where(top == -INFINITY, 0.0, top);
  const Var e = exp(where(may, scores - shift, -INFINITY));
  const Var total = sum(e, {-1}, true);
  return e / where(total == 0.0, 1.0, total);
}

// dx = y·(dy - sum(dy·y))
struct MaskedSoftmax {
  static constexpr const char* name = "masked_softmax";
  static constexpr Keep keep{.inputs = 1, .outputs = 1};
  Tensor allowed;  // of the scores' shape, dense, or undefined

  static Tensor rows(const Tensor& x) { return x.reshape({-1, x.size(-1)}); }
  Tensor row_mask() const { return allowed.defined() ? rows(allowed) : Tensor(); }
  Tensor forward(const Tensor& scores) const {
    const Tensor x = scores.contiguous(), y = Tensor::empty(x.shape(), x.dtype());
    if (x.numel() > 0) kernels(x).masked_softmax(rows(x), row_mask(), rows(y));
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor &y = saved.output_value(), dy = b.grad().value().contiguous();
    const Tensor dx = Tensor::empty(y.shape(), y.dtype());
    if (y.numel() > 0) kernels(y).masked_softmax_backward(rows(dy), rows(y), row_mask(), rows(dx));
    b.add(0, dx);
  }
  Var definition(const Var& scores) const { return softmax_equations(scores, allowed); }
};

struct AdditiveAttention {
  static constexpr const char* name = "additive_attention";
  static constexpr Keep keep{.inputs = ~0u, .outputs = 2};
  Tensor allowed;  // [B, S], dense, or undefined

  std::array<Tensor, 2> forward(const Tensor& query, const Tensor& keys, const Tensor& v,
                                const Tensor& values) const {
    const int64_t B = query.size(0), T = query.size(1), S = keys.size(1);
    AttentionForward f{query.contiguous(),
                       keys.contiguous(),
                       v.contiguous(),
                       values.contiguous(),
                       allowed,
                       {},
                       {}};
    f.context = Tensor::empty({B, T, values.size(2)}, query.dtype());
    f.weights = Tensor::empty({B, T, S}, query.dtype());
    kernels(query).additive_attention(f);
    return {f.context, f.weights};
  }
  // The tanh is computed again: saving it would cost [B, T, S, A].
  void backward(Backward& b, const Saved& saved) const {
    AttentionBackward g;
    g.query = saved.input(0).value().contiguous();
    g.keys = saved.input(1).value().contiguous();
    g.v = saved.input(2).value().contiguous();
    g.values = saved.input(3).value().contiguous();
    g.allowed = allowed;
    g.weights = saved.output_value(1);
    if (b.has_grad(0)) g.d_context = b.grad(0).value().contiguous();
    if (b.has_grad(1)) g.d_weights = b.grad(1).value().contiguous();
    g.d_query = Tensor::empty(g.query.shape(), g.query.dtype());
    g.d_v = Tensor::empty({g.keys.size(0), g.keys.size(2)}, g.query.dtype());
    if (b.needs(1)) g.d_keys = b.accumulator(1);
    kernels(g.query).additive_attention_backward(g);
    g.d_keys = Tensor();
    b.add(0, g.d_query);
    if (b.needs(2)) b.add(2, sum(g.d_v, {0}));
    if (g.d_context.defined()) b.add_product(3, g.weights, g.d_context);
  }
  std::array<Var, 2> definition(const Var& query, const Var& keys, const Var& v,
                                const Var& values) const {
    Var k = keys, x = values;
    Tensor may;
    if (allowed.defined()) {  // clean what may hold NaN, before any product with it
      const Var may_key(allowed.unsqueeze(-1));
      k = where(may_key, keys, 0.0);
      x = where(may_key, values, 0.0);
      may = allowed.unsqueeze(1).expand({query.size(0), query.size(1), keys.size(1)});
    }
    const Var e = matmul(tanh(unsqueeze(query, 2) + unsqueeze(k, 1)), v);
    const Var weights = softmax_equations(e, may);
    return {matmul(weights, x), weights};
  }
};

void check_allowed(const char* op, const Tensor& allowed, const Shape& shape) {
  if (!allowed.defined()) return;
  if (allowed.dtype() != kBool) fail(op, "a mask must be bool", "got ", name_of(allowed.dtype()));
  if (!(broadcast_shapes(op, allowed.shape(), shape) == shape))
    fail(op, "a mask must fit the scores", allowed.shape(), " for ", shape);
}

}  // namespace

Var masked_softmax(In scores, const Tensor& allowed) {
  if (scores->ndim() == 0) fail("masked_softmax", "needs at least one dimension", "got a number");
  check_allowed("masked_softmax", allowed, scores->shape());
  MaskedSoftmax op{};
  if (allowed.defined()) op.allowed = allowed.expand(scores->shape()).contiguous();
  return record(std::move(op), scores);
}

std::array<Var, 2> additive_attention(In query, In keys, In v, In values, const Tensor& allowed) {
  const char* op = "additive_attention";
  if (query->ndim() == 2) {
    const Var one = unsqueeze(query, 1);
    const auto [context, weights] =
        additive_attention(In(one, query.where.file, query.where.line), keys, v, values, allowed);
    return {squeeze(context, 1), squeeze(weights, 1)};
  }
  if (query->ndim() != 3 || keys->ndim() != 3 || values->ndim() != 3 || v->ndim() != 1)
    fail(op, "needs query [B, T, A], keys [B, S, A], v [A], values [B, S, K]", query->shape(), ", ",
         keys->shape(), ", ", v->shape(), ", ", values->shape());
  if (query->size(0) != keys->size(0) || values->size(0) != keys->size(0))
    fail(op, "batch sizes differ", query->shape(), ", ", keys->shape(), ", ", values->shape());
  if (query->size(2) != keys->size(2) || v->size(0) != keys->size(2))
    fail(op, "attention sizes differ", query->shape(), ", ", keys->shape(), ", v ", v->shape());
  if (values->size(1) != keys->size(1))
    fail(op, "needs one value per key", keys->shape(), " and ", values->shape());
  for (const In* x : {&keys, &v, &values}) check_same_dtype(op, query->dtype(), (*x)->dtype());
  const Shape shape{keys->size(0), keys->size(1)};
  check_allowed(op, allowed, shape);
  AdditiveAttention attention{};
  if (allowed.defined()) attention.allowed = allowed.expand(shape).contiguous();
  return record(std::move(attention), query, keys, v, values);
}

}  // namespace glass
