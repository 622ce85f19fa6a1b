// Local attention's windows beside global dot attention: 16 sentences of S keys, 50 queries, 256
// features, windows of 21 keys that move along the sentence.
#include <benchmark/benchmark.h>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/window.h"
#include "bench/least.h"
#include "bench/workload.h"

namespace glass::bench {
namespace {

constexpr int64_t kN = 16, kT = 50, kA = 256, kHalf = 10, kWindow = 2 * kHalf + 1;
constexpr double kScale = 1 / 16.0;

struct Sequence {
  Var query{uniform({kN, kT, kA}, "query"), true};
  Var keys, values;
  Tensor start = Tensor::empty({kN, kT}, kInt64);

  // spread: the windows cover the sentence, so that up to S = 1000 they share keys, which are then
  // in the cache. Otherwise they move ten keys a step whatever S is.
  explicit Sequence(int64_t S, bool spread = true)
      : keys(uniform({kN, S, kA}, "keys"), true), values(uniform({kN, S, kA}, "values"), true) {
    for (int64_t i = 0; i < start.numel(); ++i)
      start.data<int64_t>()[i] =
          (spread ? i % kT * S / kT : S / 2 + (i % kT - kT / 2) * 10) - kHalf + i / kT;
  }
  Var global(const Var& q) const {
    const Var scores = matmul_transposed(q * kScale, keys);
    return matmul(masked_softmax(scores, Tensor()), values);
  }
  Var local(const Var& q, const Tensor& first) const {
    const Var scores = window_scores(q * kScale, keys, first, kWindow);
    return window_sum(masked_softmax(scores, Tensor()), values, first);
  }
  // Steps [t, t + count).
  Var part(bool windows, int64_t t, int64_t count) const {
    const Var q = narrow(query, 1, t, count);
    return windows ? local(q, start.narrow(1, t, count)) : global(q);
  }
  // All queries at once, or one at a time as a decoder asks them.
  Var context(bool windows, bool at_once) const {
    if (at_once) return part(windows, 0, kT);
    std::vector<Var> steps;
    for (int64_t t = 0; t < kT; ++t) steps.push_back(part(windows, t, 1));
    return cat(steps, 1);
  }
  void zero_grad() const {
    for (const Var& v : {query, keys, values}) v.zero_grad();
  }
};

// The windows as masked global attention sees them.
double masked_sum(const Sequence& s) {
  const int64_t S = s.keys.size(1);
  const Tensor may = Tensor::full({kN, kT, S}, 0, kBool);
  for (int64_t i = 0; i < kN * kT; ++i)
    for (int64_t w = 0; w < kWindow; ++w) {
      const int64_t key = s.start.data<int64_t>()[i] + w;
      if (key >= 0 && key < S) may.data<bool>()[i * S + key] = true;
    }
  const Var scores = matmul_transposed(s.query * kScale, s.keys);
  return sum(abs(matmul(masked_softmax(scores, may), s.values))).item();
}

void verify_window(const Sequence& s) {
  const NoGrad no_grad;
  const Tensor inside = Tensor::full({kN, s.keys.size(1), 1}, 1);
  const Var on_key = squeeze(window_gather(Var(inside), s.start, kWindow), -1);
  const Var scores = window_scores(s.query * kScale, s.keys, s.start, kWindow);
  const Var weights = masked_softmax(scores, ne(on_key, 0.0).value());
  require_close("windows", sum(abs(window_sum(weights, s.values, s.start))).item(), masked_sum(s),
                1e-4);
}

void local_attention(benchmark::State& state) {
  const bool windows = state.range(0), at_once = state.range(1);
  const Sequence s(500);
  verify_window(s);
  const Var up(uniform({kN, kT, kA}, "up"));
  for (auto _ : state) {
    s.zero_grad();
    s.context(windows, at_once).backward(up);
  }
}
BENCHMARK(local_attention)
    ->ArgNames({"windows", "at_once"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Apply(report_least);

// The time must not depend on S but through the cache.
void local_attention_forward(benchmark::State& state) {
  const Sequence s(state.range(1), state.range(0));
  verify_window(s);
  const NoGrad no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(s.context(true, true));
}
BENCHMARK(local_attention_forward)
    ->ArgNames({"spread", "keys"})
    ->ArgsProduct({{0, 1}, {500, 1000, 2000, 4000}})
    ->Apply(report_least);

}  // namespace
}  // namespace glass::bench
