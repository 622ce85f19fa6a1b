// Multi-head self-attention, and one head over a long sequence as its formula is written.
#include <cmath>

#include "autograd/autograd.h"
#include "bench/least.h"
#include "bench/workload.h"
#include "nn/multihead_attention.h"

namespace glass::bench {
namespace {

void multihead_attention(benchmark::State& state) {
  const int64_t B = state.range(0), L = state.range(1);
  Generator generator(1);
  MultiheadAttention layer(512, 8, {}, generator);
  fill_parameters(layer);
  const Var x(uniform({L, B, 512}, "x"), true);
  std::vector<Var> leaves{x};
  for (const char* name : {"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"})
    for (const auto& [parameter, p] : layer.named_parameters())
      if (parameter == name) leaves.push_back(p);
  const std::vector<double> expected =
      B == 16 ? std::vector<double>{32178.5814, 14335.0471, 200360.797,
                                    5769.4542,  210339.961, 9967.28071}
              : std::vector<double>{14770.4883, 2475.88092, 48870.0971,
                                    4209.38087, 96463.7618, 7229.85318};
  forward_backward(
      state, "multihead_attention", [&] { return layer(x, x, x).context; },
      Var(uniform({L, B, 512}, "g")), leaves, true, expected);
}
BENCHMARK(multihead_attention)
    ->ArgNames({"B", "L"})
    ->Args({16, 128})
    ->Args({1, 1024})
    ->Apply(report_least);

void long_self_attention(benchmark::State& state) {
  const bool causal = state.range(0);
  const Var q(uniform({1, 4096, 64}, "q"), true), k(uniform({1, 4096, 64}, "k"), true),
      v(uniform({1, 4096, 64}, "v"), true);
  const std::vector<double> expected =
      causal ? std::vector<double>{3885.39769, 1281.22169, 1011.06465, 3121.39884}
             : std::vector<double>{2020.72053, 668.965874, 660.097184, 2022.13118};
  const Mask mask = causal ? Mask::causal(4096, 4096) : Mask();
  forward_backward(
      state, "long_self_attention",
      [&] { return scaled_dot_product_attention(q, k, v, mask).context; },
      Var(uniform({1, 4096, 64}, "g")), {q, k, v}, true, expected);
}
BENCHMARK(long_self_attention)->ArgName("causal")->Arg(0)->Arg(1)->Apply(report_least);

}  // namespace
}  // namespace glass::bench
