// A step of Adam over ten million parameters, in one tensor or in forty, with clipping or without.
#include "optim/adam.h"

#include "bench/least.h"
#include "bench/workload.h"
#include "optim/clip.h"

namespace glass::bench {
namespace {

void adam_step(benchmark::State& state) {
  const int64_t total = 10'000'000, count = state.range(0);
  const bool clip = state.range(1);
  std::vector<Var> params;
  for (int64_t i = 0; i < count; ++i) {
    params.emplace_back(uniform({total / count}, "p" + std::to_string(i)), true);
    params.back().set_grad(Var(uniform({total / count}, "g" + std::to_string(i))));
  }
  Adam adam(params, {.lr = 1e-3});
  const auto step = [&] {
    if (clip) clip_grad_norm_(params, 1.0);
    adam.step();
  };
  step();
  double sum = 0;
  for (const Var& p : params) sum += abs_sum(p);
  require_close("adam_step", sum, count == 1 ? 5000883.15 : 4998364.94, 1e-6);
  for (auto _ : state) step();
}
BENCHMARK(adam_step)
    ->ArgNames({"tensors", "clip"})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Args({40, 0})
    ->Args({40, 1})
    ->Apply(report_least);

}  // namespace
}  // namespace glass::bench
