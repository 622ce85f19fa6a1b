#include "autograd/ops/attention.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
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

namespace {

Tensor mask_of(const std::vector<double>& may, const Shape& shape) {
  return may.empty() ? Tensor() : Tensor::from(may, shape).to(kBool);
}

Sample softmax_sample(std::string label, const Shape& shape, const Shape& mask_shape,
                      const std::vector<double>& may) {
  return {
      .label = std::move(label),
      .inputs = {{shape}},
      .f = [=](const Vars& in) { return Vars{masked_softmax(in[0], mask_of(may, mask_shape))}; },
      .definition =
          [=](const Vars& in) {
            const Tensor mask = mask_of(may, mask_shape);
            return Vars{softmax_equations(in[0], mask.defined() ? mask.expand(shape) : mask)};
          }};
}

Sample additive_sample(std::string label, int64_t B, int64_t T, int64_t S, int64_t A, int64_t K,
                       const std::vector<double>& may = {}) {
  const auto mask = [=] { return mask_of(may, {B, S}); };
  const Shape query = T > 0 ? Shape{B, T, A} : Shape{B, A};
  return {.label = std::move(label),
          .inputs = {{query}, {{B, S, A}}, {{A}}, {{B, S, K}}},
          .f =
              [=](const Vars& in) {
                const auto y = additive_attention(in[0], in[1], in[2], in[3], mask());
                return Vars(y.begin(), y.end());
              },
          .expect = B == 0 || S > 1 ? Verdict::pass : Verdict::vacuous,  // one key is all there is
          .definition =
              [=](const Vars& in) {
                const AdditiveAttention op{mask()};
                const Var q = T > 0 ? in[0] : unsqueeze(in[0], 1);
                const auto y = op.definition(q, in[1], in[2], in[3]);
                if (T > 0) return Vars(y.begin(), y.end());
                return Vars{squeeze(y[0], 1), squeeze(y[1], 1)};
              }};
}

}  // namespace

std::vector<Entry> attention_ops() {
  const auto call = [](const Shape& q, const Shape& k, const Shape& v, const Shape& x) {
    additive_attention(ones(q), ones(k), ones(v), ones(x), Tensor());
  };
  return {
      {.name = "masked_softmax",
       .kind = EntryKind::fused,
       .formula = "y = exp(x) / Σ exp(x) over what is allowed, else 0",
       .gradient = "dx = y·(dy - Σ dy·y)",
       .notes = "A row with nothing allowed, or of -infinity only, is 0 with gradient 0.",
       .samples = {softmax_sample("no mask", {2, 4}, {}, {}),
                   softmax_sample("mask", {2, 4}, {2, 4}, {1, 1, 0, 1, 0, 1, 1, 0}),
                   softmax_sample("a row without any", {2, 3}, {2, 3}, {0, 0, 0, 1, 0, 1}),
                   softmax_sample("one allowed of a row", {2, 3}, {2, 3}, {0, 1, 0, 1, 1, 1}),
                   softmax_sample("broadcast", {2, 2, 3}, {2, 1, 3}, {1, 1, 0, 1, 0, 1}),
                   softmax_sample("no elements", {2, 0}, {}, {})},
       .errors = {{"numbers as mask",
                   [] {
                     masked_softmax(ones({2, 3}), Tensor::ones({2, 3}));
                   },
                   "a mask must be bool"},
                  {"mask of another size",
                   [] {
                     masked_softmax(ones({2, 3}), Tensor::full({2, 4}, 1, kBool));
                   },
                   "[2, 4]"},
                  {"0-d", [] { masked_softmax(ones({}), Tensor()); }, "at least one dimension"}}},
      {.name = "additive_attention",
       .kind = EntryKind::fused,
       .formula = "e = vᵀ·tanh(query + key); weights = softmax(e); context = Σ weights·values",
       .gradient = "de = weights·(dw - Σ dw·weights) with dw = dcontext·value; "
                   "dquery = Σ dkey, dkey = de·v·(1 - tanh²), dv = Σ de·tanh",
       .notes =
           "What is not allowed is never read. A row with nothing allowed is 0 with gradient 0.",
       .samples =
           {additive_sample("one query", 2, 0, 3, 2, 2), additive_sample("queries", 2, 2, 3, 2, 3),
            additive_sample("mask", 2, 2, 3, 2, 2, {1, 0, 1, 1, 1, 0}),
            additive_sample("a row without any", 2, 0, 3, 2, 2, {0, 0, 0, 0, 1, 1}),
            additive_sample("one key", 2, 0, 1, 3, 2), additive_sample("wide", 1, 0, 3, 20, 18),
            additive_sample("no keys", 2, 1, 0, 2, 2), additive_sample("no rows", 0, 1, 2, 2, 2)},
       .errors = {{"attention sizes",
                   [=] {
                     call({2, 3}, {2, 4, 3}, {2}, {2, 4, 5});
                   },
                   "attention sizes differ"},
                  {"values",
                   [=] {
                     call({2, 3}, {2, 4, 3}, {3}, {2, 5, 5});
                   },
                   "one value per key"},
                  {"batches",
                   [=] {
                     call({3, 3}, {2, 4, 3}, {3}, {2, 4, 5});
                   },
                   "batch sizes differ"},
                  {"axes",
                   [=] {
                     call({3}, {2, 4, 3}, {3}, {2, 4, 5});
                   },
                   "needs query"}}}};
}

}  // namespace glass
