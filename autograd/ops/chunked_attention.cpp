#include "autograd/ops/chunked_attention.h"

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// With P the weights, O = P·V and S the scores:
//   dV = Pᵀ·dO;  dS = P∘(dO·Vᵀ - rowsum(dO∘O));  dQ = dS·K·scale;  dK = dSᵀ·Q·scale
// Each block's P is computed again from its scores and what was kept of the softmax.
struct ChunkedAttention {
  static constexpr const char* name = "chunked_attention";
  static constexpr Keep keep{.outputs = 1};
  Tensor allowed;  // [N, T, S], a view of what was given; or undefined
  double scale;
  int64_t chunk;
  Tensor top{}, factor{};  // [N, T]: weights = exp(score - top)·factor

  // Keys that nobody may see become 0: 0 · NaN would be NaN.
  Var seen(const Var& x) const {
    if (!allowed.defined() || allowed.numel() == 0) return x;
    const Tensor any = Tensor::empty({allowed.size(0), allowed.size(2)}, kBool);
    kernels(any).any_query(allowed, any);
    return where(Var(any.unsqueeze(-1)), x, 0.0);
  }
  Tensor seen_dense(const Tensor& x) const { return seen(Var(x)).value().contiguous(); }

  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value) {
    const Shape rows{query.size(0), query.size(1)};
    const Tensor out = Tensor::zeros({rows[0], rows[1], value.size(2)}, query.dtype());
    if (numel(rows) == 0 || key.size(1) == 0) return out;
    top = Tensor::empty(rows, query.dtype());
    factor = Tensor::empty(rows, query.dtype());
    kernels(out).chunked_attention(
        {query * scale, seen_dense(key), seen_dense(value), allowed, chunk, out, top, factor});
    return out;
  }
  void backward(Backward& b, const Saved& saved) const {
    ChunkedBackward g{};
    g.query = saved.input(0).value() * scale;
    g.key = seen_dense(saved.input(1).value());
    g.value = seen_dense(saved.input(2).value());
    g.d_query = Tensor::zeros(g.query.shape(), g.query.dtype());
    g.d_key = Tensor::zeros(g.key.shape(), g.query.dtype());
    g.d_value = Tensor::zeros(g.value.shape(), g.query.dtype());
    if (top.defined()) {
      g.allowed = allowed;
      g.chunk = chunk;
      g.top = top;
      g.factor = factor;
      g.d_out = b.grad().value().contiguous();
      g.dots = sum(g.d_out * saved.output_value(), {-1});
      kernels(g.query).chunked_attention_backward(g);
      g.d_query.mul_(scale);
    }
    b.add(0, std::move(g.d_query));
    b.add(1, std::move(g.d_key));
    b.add(2, std::move(g.d_value));
  }
  Var definition(const Var& query, const Var& key, const Var& value) const {
    const Var scores = matmul(query * scale, transpose(seen(key), 1, 2));
    return matmul(masked_softmax(scores, allowed), seen(value));
  }
};

}  // namespace

Var chunked_attention(In query, In key, In value, const Tensor& allowed, double scale,
                      int64_t chunk) {
  const char* op = ChunkedAttention::name;
  const bool fit = query->ndim() == 3 && key->ndim() == 3 && value->ndim() == 3 &&
                   key->size(0) == query->size(0) && value->size(0) == query->size(0) &&
                   key->size(2) == query->size(2) && value->size(1) == key->size(1);
  if (!fit)
    fail(op, "needs query [N, T, D], key [N, S, D], value [N, S, K]", query->shape(), ", ",
         key->shape(), ", ", value->shape());
  check_same_dtype(op, query->dtype(), key->dtype());
  check_same_dtype(op, query->dtype(), value->dtype());
  if (!is_floating(query->dtype()))
    fail(op, "needs float32 or float64", "got ", name_of(query->dtype()));
  if (chunk < 1) fail(op, "a chunk needs at least one row", "got ", chunk);
  ChunkedAttention attention{{}, scale, chunk};
  if (allowed.defined()) {
    const Shape shape{query->size(0), query->size(1), key->size(1)};
    if (allowed.dtype() != kBool) fail(op, "a mask must be bool", "got ", name_of(allowed.dtype()));
    if (!(broadcast_shapes(op, allowed.shape(), shape) == shape))
      fail(op, "a mask must fit the scores", allowed.shape(), " for ", shape);
    const bool dense_rows = allowed.ndim() == 0 || allowed.strides()[allowed.ndim() - 1] <= 1;
    attention.allowed = (dense_rows ? allowed : allowed.contiguous()).expand(shape);
  }
  return record(std::move(attention), query, key, value);
}

namespace {

struct Sizes {
  int64_t N, T, S, D, K;
};

// chunk rows at a time; may: the mask's elements, none: no mask.
Sample chunk_sample(const char* label, Sizes z, int64_t chunk, const Shape& mask_shape = {},
                    const std::vector<double>& may = {}) {
  const auto mask = [=] {
    return may.empty() ? Tensor() : Tensor::from(may, mask_shape).to(kBool);
  };
  const bool constant = (z.S < 2 && z.N * z.T > 0) || may == std::vector<double>{0};
  return {.label = label,
          .inputs = {{{z.N, z.T, z.D}}, {{z.N, z.S, z.D}}, {{z.N, z.S, z.K}}},
          .f =
              [=](const Vars& in) {
                return Vars{chunked_attention(in[0], in[1], in[2], mask(), 0.7, chunk)};
              },
          .expect = constant ? Verdict::vacuous : Verdict::pass,
          .definition =
              [=](const Vars& in) {
                Tensor allowed = mask();
                if (allowed.defined()) allowed = allowed.expand({z.N, z.T, z.S});
                return Vars{ChunkedAttention{allowed, 0.7, chunk}.definition(in[0], in[1], in[2])};
              }};
}

}  // namespace

std::vector<Entry> chunked_ops() {
  const auto call = [](const Shape& q, const Shape& k, const Shape& v, const Tensor& allowed = {},
                       int64_t chunk = 2) {
    chunked_attention(ones(q), ones(k), ones(v), allowed, 1, chunk);
  };
  return {
      {.name = "chunked_attention",
       .kind = EntryKind::fused,
       .formula = "y = softmax(query·keyᵀ·scale)·value, by blocks of query rows",
       .gradient = "dV = Pᵀ·dy, dS = P∘(dy·Vᵀ - Σ dy∘y), dQ = dS·K·scale, dK = dSᵀ·Q·scale",
       .notes = "The T×S matrix is never held. A row with nothing allowed is 0 with gradient 0.",
       .samples = {chunk_sample("blocks and a rest", {2, 5, 4, 2, 3}, 2),
                   chunk_sample("one block", {2, 3, 4, 2, 2}, 128),
                   chunk_sample("a row at a time", {1, 3, 3, 2, 2}, 1),
                   chunk_sample("key mask", {2, 3, 3, 2, 2}, 2, {2, 1, 3}, {1, 0, 1, 1, 1, 0}),
                   chunk_sample("causal", {2, 3, 3, 2, 2}, 2, {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}),
                   chunk_sample("own mask", {2, 2, 2, 2, 1}, 1, {2, 2, 2},
                                {1, 0, 1, 1, 0, 1, 0, 1}),
                   chunk_sample("a row without any", {1, 3, 2, 2, 2}, 2, {3, 1}, {1, 0, 1}),
                   chunk_sample("nothing allowed", {1, 2, 2, 2, 2}, 2, {1}, {0}),
                   chunk_sample("one key", {2, 3, 1, 2, 2}, 2),
                   chunk_sample("no queries", {2, 0, 3, 2, 2}, 2),
                   chunk_sample("no keys", {1, 2, 0, 2, 2}, 2),
                   chunk_sample("no rows", {0, 2, 3, 2, 2}, 2),
                   chunk_sample("no features", {1, 2, 3, 0, 2}, 2)},
       .errors = {
           {"features",
            [=] {
              call({1, 2, 3}, {1, 4, 2}, {1, 4, 3});
            },
            "[1, 2, 3], [1, 4, 2], [1, 4, 3]"},
           {"values",
            [=] {
              call({1, 2, 3}, {1, 4, 3}, {1, 5, 3});
            },
            "needs query"},
           {"axes",
            [=] {
              call({2, 3}, {4, 3}, {4, 3});
            },
            "needs query"},
           {"numbers as mask",
            [=] {
              call({1, 2, 3}, {1, 4, 3}, {1, 4, 3}, Tensor::ones({2, 4}));
            },
            "a mask must be bool"},
           {"mask of another size",
            [=] {
              call({1, 2, 3}, {1, 4, 3}, {1, 4, 3}, Tensor::full({2, 3}, 1, kBool));
            },
            "[2, 3]"},
           {"mask of more rows",
            [=] {
              call({1, 2, 3}, {1, 4, 3}, {1, 4, 3}, Tensor::full({2, 2, 4}, 1, kBool));
            },
            "a mask must fit the scores: [2, 2, 4] for [1, 2, 4]"},
           {"no chunk",
            [=] {
              call({1, 2, 3}, {1, 4, 3}, {1, 4, 3}, {}, 0);
            },
            "at least one row: got 0"},
           {"two types",
            [] {
              chunked_attention(ones({1, 2, 3}), ones({1, 4, 3}, kFloat32), ones({1, 4, 3}), {}, 1);
            },
            "float64 and float32"}}}};
}

}  // namespace glass
