// Attention of 4096 queries on 4096 keys of 64 features, whole and by chunks; and of many short
// sequences.
#include "autograd/ops/chunked_attention.h"

#include <benchmark/benchmark.h>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "bench/least.h"
#include "bench/workload.h"
#include "nn/mask.h"

namespace glass::bench {
namespace {

void long_attention(benchmark::State& state) {
  const bool chunked = state.range(0), backward = state.range(1);
  const Shape shape{state.range(2), state.range(3), 64};
  const Var query(uniform(shape, "query", 2), true), key(uniform(shape, "key", 2), true);
  const Tensor allowed =
      state.range(4) ? Mask::causal(shape[1], shape[1]).pairs().reshape({shape[1], shape[1]})
                     : Tensor();
  const Var value(uniform(shape, "value"), true), up(uniform(shape, "up"));
  const auto context = [&](bool by_chunks) {
    if (by_chunks) return chunked_attention(query, key, value, allowed, 1 / 8.0);
    const Var scores = matmul(query * (1 / 8.0), transpose(key, 1, 2));
    return matmul(masked_softmax(scores, allowed), value);
  };
  {
    const NoGrad no_grad;
    require_close("long_attention", sum(abs(context(true))).item(), sum(abs(context(false))).item(),
                  1e-5);
  }
  for (auto _ : state) {
    if (!backward) {
      const NoGrad no_grad;
      benchmark::DoNotOptimize(context(chunked));
      continue;
    }
    for (const Var& v : {query, key, value}) v.zero_grad();
    context(chunked).backward(up);
  }
}
BENCHMARK(long_attention)
    ->ArgNames({"chunked", "backward", "batch", "length", "causal"})
    ->ArgsProduct({{0, 1}, {0, 1}, {1}, {4096}, {0, 1}})
    ->ArgsProduct({{0, 1}, {0, 1}, {64}, {50}, {0}})
    ->Apply(report_least);

}  // namespace
}  // namespace glass::bench
