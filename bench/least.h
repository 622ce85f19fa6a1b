#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace glass::bench {

/// Adds the least time of all repetitions to the report: on a shared machine the only steady one.
/// Compare in one run, with --benchmark_repetitions=15 --benchmark_enable_random_interleaving=true.
inline void report_least(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->ComputeStatistics("least", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
      });
}

}  // namespace glass::bench
