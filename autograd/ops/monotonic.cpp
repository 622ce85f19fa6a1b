#include "autograd/ops/monotonic.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/kernels.h"

namespace glass {
namespace {

// From the last step and the last key backwards:
//   dα_i += dq_{i+1};  dq_j = p_j·dα_j + (1 - p_j)·dq_{j+1};  dp_j = q_j·(dα_j - dq_{j+1})
struct MonotonicAttention {
  static constexpr const char* name = "monotonic_attention";
  static constexpr Keep keep{.outputs = 1};

  Tensor forward(const Tensor& p, const Tensor& previous) const {
    const Tensor y = Tensor::empty(p.shape(), p.dtype());
    kernels(y).monotonic_attention(p.contiguous(), previous.contiguous(), y);
    return y;
  }
  // q is computed again: saving it would cost another [N, T, S].
  void backward(Backward& b, const Saved& saved) const {
    const Tensor p = saved.input(0).value().contiguous();
    const Tensor previous = saved.input(1).value().contiguous();
    const Tensor dp = Tensor::empty(p.shape(), p.dtype());
    const Tensor d_previous = Tensor::zeros(previous.shape(), p.dtype());
    kernels(p).monotonic_attention_backward(b.grad().value().contiguous(), p, previous,
                                            saved.output_value(), dp, d_previous);
    b.add(0, dp);
    b.add(1, d_previous);
  }
  Var definition(const Var& p, const Var& previous) const {
    if (p.numel() == 0) return p * 1.0;
    Var before = previous;  // α_{i-1}
    std::vector<Var> rows;
    for (int64_t i = 0; i < p.size(1); ++i) {
      std::vector<Var> alpha;
      Var q;
      for (int64_t j = 0; j < p.size(2); ++j) {
        const Var arrived = select(before, 1, j);
        q = j == 0 ? arrived : (1.0 - select(select(p, 1, i), 1, j - 1)) * q + arrived;
        alpha.push_back(select(select(p, 1, i), 1, j) * q);
      }
      before = stack(alpha, 1);
      rows.push_back(before);
    }
    return stack(rows, 1);
  }
};

}  // namespace

Var monotonic_attention(In p, In previous) {
  const char* op = MonotonicAttention::name;
  if (p->ndim() != 3 || previous->ndim() != 2 || p->size(0) != previous->size(0) ||
      p->size(2) != previous->size(1))
    fail(op, "needs p [N, T, S], previous [N, S]", p->shape(), ", ", previous->shape());
  check_same_dtype(op, p->dtype(), previous->dtype());
  return record(MonotonicAttention{}, p, previous);
}

namespace {

// α as a sum over where the step before stopped: from key k to key j it passes all between.
//   α_{i,j} = p_{i,j}·Σ_{k ≤ j} α_{i-1,k}·Π_{k ≤ l < j} (1 - p_{i,l})
Numbers alignment(const Columns& x, size_t N, size_t T, size_t S) {
  Numbers y(N * T * S);
  for (size_t n = 0; n < N; ++n)
    for (size_t i = 0; i < T; ++i)
      for (size_t j = 0; j < S; ++j)
        for (size_t k = 0; k <= j; ++k) {
          const double* p = &x[0][(n * T + i) * S];
          double chance = i == 0 ? x[1][n * S + k] : y[(n * T + i - 1) * S + k];
          for (size_t l = k; l < j; ++l) chance *= 1 - p[l];
          y[(n * T + i) * S + j] += p[j] * chance;
        }
  return y;
}

Sample monotonic_sample(const char* label, size_t N, size_t T, size_t S, std::vector<double> p = {},
                        std::vector<double> previous = {}) {
  const auto n = static_cast<int64_t>(N), t = static_cast<int64_t>(T), s = static_cast<int64_t>(S);
  const auto values = [](Shape shape, std::vector<double> given) {
    return given.empty() ? Input{shape, 0.05, 0.95} : exact(shape, std::move(given));
  };
  // The first step passes nothing on, whatever came before.
  const bool lost =
      !p.empty() && std::all_of(p.begin(), p.begin() + s, [](double x) { return x == 0; });
  return {
      .label = label,
      .inputs = {values({n, t, s}, std::move(p)), values({n, s}, std::move(previous))},
      .f = [](const Vars& v) { return Vars{monotonic_attention(v[0], v[1])}; },
      .expect = lost ? Verdict::vacuous : Verdict::pass,
      .definition = [](const Vars& v) { return Vars{MonotonicAttention{}.definition(v[0], v[1])}; },
      .reference = [=](const Columns& x) { return alignment(x, N, T, S); }};
}

}  // namespace

std::vector<Entry> monotonic_ops() {
  return {{.name = "monotonic_attention",
           .kind = EntryKind::fused,
           .formula = "α_{i,j} = p_{i,j}·q_{i,j}, q_{i,j} = (1 - p_{i,j-1})·q_{i,j-1} + α_{i-1,j}",
           .gradient = "dα_i += dq_{i+1}, dq_j = p_j·dα_j + (1 - p_j)·dq_{j+1}, "
                       "dp_j = q_j·(dα_j - dq_{j+1})",
           .notes = "Exact at p = 0 and p = 1. Rows may sum to less than one.",
           .samples = {monotonic_sample("steps", 2, 3, 4), monotonic_sample("one step", 2, 1, 3),
                       monotonic_sample("one key", 2, 3, 1),
                       monotonic_sample("certain and never", 1, 3, 4,
                                        {0, 1, 1, 0, 0, 0, 1, 0.5, 1, 0, 0, 1}, {1, 0, 0, 0}),
                       monotonic_sample("nothing arrives", 1, 2, 3, {0, 0, 0, 0.5, 0.5, 0.5},
                                        {1, 0, 0}),
                       monotonic_sample("no steps", 2, 0, 3), monotonic_sample("no keys", 2, 3, 0),
                       monotonic_sample("no rows", 0, 2, 3)},
           .errors = {{"keys",
                       [] {
                         monotonic_attention(ones({2, 3, 4}), ones({2, 3}));
                       },
                       "[2, 3, 4], [2, 3]"},
                      {"axes",
                       [] {
                         monotonic_attention(ones({3, 4}), ones({4}));
                       },
                       "needs p"},
                      {"two types",
                       [] {
                         monotonic_attention(ones({2, 3, 4}), ones({2, 4}, kFloat32));
                       },
                       "float64 and float32"},
                      {"integers",
                       [] {
                         monotonic_attention(ones({1, 1, 1}, kInt64), ones({1, 1}, kInt64));
                       },
                       "int64"}}}};
}

}  // namespace glass
