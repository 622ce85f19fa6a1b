// Single ops on large tensors, forward and backward.
#include "autograd/autograd.h"
#include "bench/least.h"
#include "bench/workload.h"

namespace glass::bench {
namespace {

void matmul_op(benchmark::State& state) {
  const int64_t M = state.range(0), K = state.range(1), N = state.range(2);
  const Var a(uniform({M, K}, "a"), true), b(uniform({K, N}, "b"), true);
  const std::vector<double> expected =
      M == 64     ? std::vector<double>{139889.224, 277507.162, 557513.449}
      : M == 1280 ? std::vector<double>{2788314.46, 5578215.7, 2496271.05}
                  : std::vector<double>{8928084.68, 8932912.66, 8935736.07};
  forward_backward(
      state, "matmul", [&] { return matmul(a, b); }, Var(uniform({M, N}, "g")), {a, b},
      state.range(3), expected);
}
BENCHMARK(matmul_op)
    ->ArgNames({"M", "K", "N", "backward"})
    ->Args({64, 1024, 256, 0})
    ->Args({64, 1024, 256, 1})
    ->Args({1280, 1024, 256, 0})
    ->Args({1280, 1024, 256, 1})
    ->Args({1024, 1024, 1024, 0})
    ->Args({1024, 1024, 1024, 1})
    ->Apply(report_least);

void softmax_xent(benchmark::State& state) {
  const Var logits(uniform({2048, 10000}, "logits", 4), true);
  const Var target(ids({2048}, "target", 0, 10000));
  forward_backward(state, "softmax_xent", [&] { return cross_entropy(logits, target); }, {},
                   {logits}, true, {11.0784092, 1.99978019});
}
BENCHMARK(softmax_xent)->Apply(report_least);

void layer_norm_op(benchmark::State& state) {
  const Var x(uniform({2048, 512}, "x"), true);
  const Var weight(Tensor::ones({512}), true), bias(Tensor::zeros({512}), true);
  forward_backward(state, "layer_norm", [&] { return layer_norm(x, {512}, weight, bias); },
                   Var(uniform({2048, 512}, "g")), {x, weight, bias}, true,
                   {907850.278, 907493.54, 11448.1505, 9967.28047});
}
BENCHMARK(layer_norm_op)->Apply(report_least);

void embedding_op(benchmark::State& state) {
  const Var table(uniform({10000, 512}, "embed", 0.1), true);
  const Var tokens(ids({2048}, "ids", 0, 10000));
  forward_backward(state, "embedding", [&] { return embedding(tokens, table); },
                   Var(uniform({2048, 512}, "g")), {table}, true, {52475.9219, 490076.617});
}
BENCHMARK(embedding_op)->Apply(report_least);

void conv2d_op(benchmark::State& state) {
  const Var x(uniform({32, 64, 32, 32}, "x"), true);
  const Var weight(uniform({64, 64, 3, 3}, "weight", 1 / 24.0), true);
  const Var bias(uniform({64}, "bias", 0.05), true);
  forward_backward(state, "conv2d",
                   [&] {
                     return conv2d(x, weight, bias, {.padding = {1, 1}});
                   },
                   Var(uniform({32, 64, 32, 32}, "g")), {x, weight, bias}, state.range(0),
                   {546522.135, 544960.114, 1726287.84, 5461.96319});
}
BENCHMARK(conv2d_op)->ArgName("backward")->Arg(0)->Arg(1)->Apply(report_least);

}  // namespace
}  // namespace glass::bench
