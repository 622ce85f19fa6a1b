// What medium precision (bfloat16 operands, where the processor has units for them) makes faster:
// bare products of the sizes of recurrent layers, and a whole LSTM layer, forward and backward.
#include <benchmark/benchmark.h>

#include <cmath>

#include "bench/least.h"
#include "bench/workload.h"
#include "nn/lstm.h"
#include "tensor/ops.h"
#include "tensor/precision.h"

namespace glass::bench {
namespace {

MatmulPrecision precision_of(bool medium) {
  return medium ? MatmulPrecision::medium : MatmulPrecision::highest;
}

Tensor magnitudes(const Tensor& x) {
  const NoGrad no_grad;
  return abs(Var(x)).value();
}

// Each of two operands is off by 2^-9 of itself at most, and the sum by some roundings more.
void check_product(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor exact = matmul(a.to(kFloat64), b.to(kFloat64));
  const Tensor terms = matmul(magnitudes(a), magnitudes(b));
  for (int64_t i = 0; i < c.size(0); ++i)
    for (int64_t j = 0; j < c.size(1); ++j)
      if (!(std::abs(c.at({i, j}) - exact.at({i, j})) <= terms.at({i, j}) / 255))
        fail("matmul_precision", "wrong product", c.at({i, j}), ", need ", exact.at({i, j}));
}

void matmul_precision(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const Tensor a = uniform({m, k}, "a"), b = uniform({n, k}, "b").transpose(0, 1);
  const Tensor c = Tensor::zeros({m, n});
  const MatmulPrecisionGuard guard(precision_of(state.range(3)));
  gemm_into(a, b, 0, c);
  check_product(a, b, c);
  for (auto _ : state) gemm_into(a, b, 0, c);
  state.counters["flops"] = benchmark::Counter(2.0 * static_cast<double>(m * n * k),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(matmul_precision)
    ->ArgNames({"m", "n", "k", "medium"})
    ->ArgsProduct({{64, 128, 1024}, {1024}, {256, 512}, {0, 1}})
    ->Apply(report_least);

void lstm_layer_precision(benchmark::State& state) {
  constexpr int64_t kSteps = 50, kB = 64, kI = 256, kH = 512;
  Generator generator(1);
  LSTM lstm(kI, kH, {}, generator);
  fill_parameters(lstm);
  const Var x(uniform({kSteps, kB, kI}, "x"), true);
  const Var up(uniform({kSteps, kB, kH}, "g"));
  const auto forward = [&] { return sum(abs(lstm(x).state.h)).item(); };
  const double highest = forward();
  const MatmulPrecisionGuard guard(precision_of(state.range(0)));
  require_close("lstm_layer_precision", forward(), highest, 1e-2);
  for (auto _ : state) {
    lstm.zero_grad();
    x.zero_grad();
    lstm(x).output.backward(up);
  }
}
BENCHMARK(lstm_layer_precision)->ArgName("medium")->Arg(0)->Arg(1)->Apply(report_least);

}  // namespace
}  // namespace glass::bench
