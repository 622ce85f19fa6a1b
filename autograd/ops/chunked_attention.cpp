#include "autograd/ops/chunked_attention.h"

#include <algorithm>

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

// Query rows t … t + rows - 1 of batch rows n … n + entries - 1: all rows of several batch rows, or
// some of one. So its part of a dense [N, T, ...] is dense.
struct Block {
  int64_t n, entries, t, rows;
  Tensor of_batch(const Tensor& x) const { return x.narrow(0, n, entries); }
  Tensor of(const Tensor& x) const { return of_batch(x).narrow(1, t, rows); }
  Tensor of_rows(const Tensor& x) const { return of(x).reshape({entries * rows}); }
  Tensor in(const Tensor& buffer, int64_t keys) const {
    return buffer.narrow(0, 0, entries * rows * keys).reshape({entries, rows, keys});
  }
};

Tensor turned(const Tensor& x) { return x.transpose(1, 2); }

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

  // How many query rows the largest block has.
  int64_t block_rows(int64_t N, int64_t T, int64_t S) const {
    constexpr int64_t kSmall = 1 << 18;  // elements that may always be held
    return T > chunk ? chunk : T * std::clamp<int64_t>(kSmall / (T * S), 1, N);
  }
  // f(block), over all query rows.
  template <class F>
  void for_blocks(int64_t N, int64_t T, int64_t S, const F& f) const {
    const int64_t entries = T > chunk ? 1 : block_rows(N, T, S) / T;
    for (int64_t n = 0; n < N; n += entries)
      for (int64_t t = 0; t < T; t += chunk)
        f(Block{n, std::min(entries, N - n), t, std::min(chunk, T - t)});
  }
  // Keys that nobody may see become 0: 0 · NaN would be NaN.
  Var seen(const Var& x) const {
    if (!allowed.defined() || allowed.numel() == 0) return x;
    const Tensor any = Tensor::empty({allowed.size(0), allowed.size(2)}, kBool);
    kernels(any).any_query(allowed, any);
    return where(Var(any.unsqueeze(-1)), x, 0.0);
  }
  SoftmaxBlock softmax(const Block& block, const Tensor& scores) const {
    Tensor may = allowed;
    if (may.defined()) {
      may = block.of(may);
      if (may.strides()[2] > 1) may = may.contiguous();
    }
    return {scores, may, block.of_rows(top), block.of_rows(factor)};
  }

  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value) {
    const int64_t N = query.size(0), T = query.size(1), S = key.size(1);
    const Tensor out = Tensor::zeros({N, T, value.size(2)}, query.dtype());
    if (N == 0 || T == 0 || S == 0) return out;
    const Kernels& device = kernels(query);
    const Tensor k = turned(seen(Var(key)).value()), v = seen(Var(value)).value();
    const Tensor buffer = Tensor::empty({block_rows(N, T, S) * S}, query.dtype());
    top = Tensor::empty({N, T}, query.dtype());
    factor = Tensor::empty({N, T}, query.dtype());
    for_blocks(N, T, S, [&](const Block& block) {
      const Tensor weights = block.in(buffer, S);
      device.gemm_batched(block.of(query) * scale, block.of_batch(k), 0, weights);
      device.softmax_block(softmax(block, weights));
      device.gemm_batched(weights, block.of_batch(v), 0, block.of(out));
    });
    return out;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor& query = saved.input(0).value();
    const Tensor key = seen(saved.input(1)).value(), value = seen(saved.input(2)).value();
    const int64_t N = query.size(0), T = query.size(1), S = key.size(1);
    const Kernels& device = kernels(query);
    const Tensor dq = Tensor::zeros(query.shape(), query.dtype());
    const Tensor dk = Tensor::zeros(key.shape(), query.dtype());
    const Tensor dv = Tensor::zeros(value.shape(), query.dtype());
    if (N > 0 && T > 0 && S > 0) {
      const Tensor dy = b.grad().value().contiguous();
      const Tensor dots = sum(dy * saved.output_value(), {-1});
      const Tensor first = Tensor::empty({block_rows(N, T, S) * S}, query.dtype());
      const Tensor second = Tensor::empty(first.shape(), query.dtype());
      for_blocks(N, T, S, [&](const Block& block) {
        const Tensor weights = block.in(first, S), d = block.in(second, S);
        const Tensor q = block.of(query) * scale, up = block.of(dy);
        device.gemm_batched(q, turned(block.of_batch(key)), 0, weights);
        device.gemm_batched(up, turned(block.of_batch(value)), 0, d);
        device.softmax_block_backward(softmax(block, weights), d, block.of_rows(dots));
        device.gemm_batched(turned(weights), up, 1, block.of_batch(dv));
        device.gemm_batched(turned(d), q, 1, block.of_batch(dk));
        device.gemm_batched(d, block.of_batch(key), 0, block.of(dq));
      });
      dq.mul_(scale);
    }
    b.add(0, dq);
    b.add(1, dk);
    b.add(2, dv);
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
    attention.allowed = allowed.expand(shape);
  }
  return record(std::move(attention), query, key, value);
}

namespace {

struct Sizes {
  int64_t N, T, S, D, K;
};

// chunk rows at a time; may: the mask's elements, none: no mask.
Sample sample(const char* label, Sizes z, int64_t chunk, const Shape& mask_shape = {},
              const std::vector<double>& may = {}) {
  const auto mask = [=] {
    return may.empty() ? Tensor() : Tensor::from(may, mask_shape).to(kBool);
  };
  const bool constant = (z.S == 0 && z.N * z.T > 0) || may == std::vector<double>{0};
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
       .samples = {sample("blocks and a rest", {2, 5, 4, 2, 3}, 2),
                   sample("one block", {2, 3, 4, 2, 2}, 128),
                   sample("a row at a time", {1, 3, 3, 2, 2}, 1),
                   sample("key mask", {2, 3, 3, 2, 2}, 2, {2, 1, 3}, {1, 0, 1, 1, 1, 0}),
                   sample("causal", {2, 3, 3, 2, 2}, 2, {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}),
                   sample("own mask", {2, 2, 2, 2, 1}, 1, {2, 2, 2}, {1, 0, 1, 1, 0, 1, 0, 1}),
                   sample("a row without any", {1, 3, 2, 2, 2}, 2, {3, 1}, {1, 0, 1}),
                   sample("nothing allowed", {1, 2, 2, 2, 2}, 2, {1}, {0}),
                   sample("one key", {2, 3, 1, 2, 2}, 2), sample("no queries", {2, 0, 3, 2, 2}, 2),
                   sample("no keys", {1, 2, 0, 2, 2}, 2), sample("no rows", {0, 2, 3, 2, 2}, 2),
                   sample("no features", {1, 2, 3, 0, 2}, 2)},
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
