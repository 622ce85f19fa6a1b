// Local attention with predicted centres (local-p), forward, all queries at once: 16 sentences of
// 500 to 4,000 keys, 50 queries, 256 features, D = 10. The time should grow with D and not with S.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/workload.h"
#include "nn/attention/attention.h"

namespace glass::bench {
namespace {

// The four sizes take turns, so that none finds its keys in the cache more than another, and what
// else the machine does meets all alike.
void local_p_slope(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const std::vector<int64_t> sizes{500, 1000, 2000, 4000};
  Generator generator(1);
  Attention layer({.query_dim = 256, .key_dim = 256, .score = DotScore{}, .scope = LocalPScope{}},
                  generator);
  layer.eval();
  const NoGrad no_grad;
  const Var query(normal({16, 50, 256}, 0, 1, kFloat32, generator));
  std::vector<Keys> keys;
  for (const int64_t S : sizes)
    keys.push_back(layer.prepare(Var(normal({16, S, 256}, 0, 1, kFloat32, generator))));
  std::vector<double> least(sizes.size(), 1e9);
  for (auto _ : state)
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Clock::time_point start = Clock::now();
      benchmark::DoNotOptimize(layer(query, keys[i]));
      least[i] = std::min(least[i], std::chrono::duration<double>(Clock::now() - start).count());
    }
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double log_size = std::log(static_cast<double>(sizes[i])), log_time = std::log(least[i]);
    x += log_size;
    y += log_time;
    xx += log_size * log_size;
    xy += log_size * log_time;
    state.counters["ms_" + std::to_string(sizes[i])] = 1e3 * least[i];
  }
  state.counters["slope"] = (n * xy - x * y) / (n * xx - x * x);
}
BENCHMARK(local_p_slope)->Iterations(60)->UseRealTime();

}  // namespace
}  // namespace glass::bench
