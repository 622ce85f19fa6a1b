// The cost of a recorded op on one-element tensors: 1,000 ops h*a, h+b, tanh(h) in turn.
#include <benchmark/benchmark.h>

#include <cmath>

#include "autograd/autograd.h"
#include "bench/workload.h"

namespace glass::bench {
namespace {

constexpr int kOps = 1000;

Var chain(const Var& x, const Var& a, const Var& b) {
  Var h = x;
  for (int i = 0; i < kOps; ++i) {
    switch (i % 3) {
      case 0:
        h = h * a;
        break;
      case 1:
        h = h + b;
        break;
      default:
        h = tanh(h);
    }
  }
  return h;
}

// The same in plain double arithmetic.
void verify(const Var& x, const Var& a, const Var& b) {
  double h = x.item();
  for (int i = 0; i < kOps; ++i) {
    switch (i % 3) {
      case 0:
        h *= a.item();
        break;
      case 1:
        h += b.item();
        break;
      default:
        h = std::tanh(h);
    }
  }
  const Var y = chain(x, a, b);
  require_close("op_overhead", y.item(), h, 1e-4);
}

enum Mode { kNoGrad, kForward, kForwardBackward };

void op_overhead(benchmark::State& state) {
  const Mode mode = static_cast<Mode>(state.range(0));
  const bool all = state.range(1) == 3;
  const Var x(uniform({1}, "x"), true);
  const Var a(uniform({1}, "a"), all), b(uniform({1}, "b"), all);
  verify(x, a, b);
  const auto step = [&] {
    if (mode == kNoGrad) {
      const NoGrad no_grad;
      benchmark::DoNotOptimize(chain(x, a, b));
      return;
    }
    const Var y = chain(x, a, b);
    if (mode == kForward) return;
    for (const Var& v : {x, a, b})
      if (v.requires_grad()) v.zero_grad();
    y.backward();
  };
  for (int i = 0; i < 10; ++i) step();
  const int64_t before = memory_stats().system_calls;
  for (auto _ : state) step();
  state.counters["ns_per_op"] = benchmark::Counter(
      kOps, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["system_allocations"] = static_cast<double>(memory_stats().system_calls - before);
}
BENCHMARK(op_overhead)
    ->ArgNames({"mode", "leaves"})
    ->Args({kNoGrad, 1})
    ->Args({kForward, 1})
    ->Args({kForwardBackward, 1})
    ->Args({kForwardBackward, 3});

void elementwise_large(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Var x(uniform({n}, "x"), true), a(uniform({n}, "a"), true), b(uniform({n}, "b"), true);
  double expected = 0;
  for (int64_t i = 0; i < n; ++i)
    expected += std::tanh(static_cast<double>(x.value().data<float>()[i]) *
                              static_cast<double>(a.value().data<float>()[i]) +
                          static_cast<double>(b.value().data<float>()[i]));
  require_close("elementwise_large", sum(tanh(x * a + b)).item(), expected, 1e-3);
  for (auto _ : state) {
    for (const Var& v : {x, a, b}) v.zero_grad();
    sum(tanh(x * a + b)).backward();
  }
}
BENCHMARK(elementwise_large)
    ->Arg(1 << 20)
    ->Arg(1 << 24)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace glass::bench
