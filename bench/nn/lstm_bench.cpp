// One LSTM or GRU layer over a sequence, beside the bare matrix products it cannot do without.
#include <benchmark/benchmark.h>

#include "bench/workload.h"
#include "nn/gru.h"
#include "nn/lstm.h"
#include "tensor/ops.h"

namespace glass::bench {
namespace {

constexpr int64_t kSteps = 50, kB = 64, kI = 256, kH = 512;

void lstm_layer(benchmark::State& state) {
  const bool backward = state.range(0);
  Generator generator(1);
  LSTM lstm(kI, kH, {}, generator);
  fill_parameters(lstm);
  const Var x(uniform({kSteps, kB, kI}, "x"), true);
  const Var up(uniform({kSteps, kB, kH}, "g"));
  {
    // The fused sequence against the cell's equations, step by step.
    const NoGrad no_grad;
    LSTMCell cell(kI, kH, true, generator);
    cell.weights = lstm.weights[0];
    LstmState s{Var(Tensor::zeros({kB, kH})), Var(Tensor::zeros({kB, kH}))};
    for (int64_t t = 0; t < kSteps; ++t) s = cell.equations(select(x, 0, t), s);
    require_close("lstm_layer", sum(abs(lstm(x).state.h)).item(), sum(abs(s.h)).item(), 1e-4);
  }
  for (auto _ : state) {
    if (!backward) {
      const NoGrad no_grad;
      benchmark::DoNotOptimize(lstm(x));
      continue;
    }
    lstm.zero_grad();
    x.zero_grad();
    lstm(x).output.backward(up);
  }
}
BENCHMARK(lstm_layer)
    ->ArgName("backward")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void gru_layer(benchmark::State& state) {
  Generator generator(1);
  GRU gru(kI, kH, {}, generator);
  fill_parameters(gru);
  const Var x(uniform({kSteps, kB, kI}, "x"), true);
  const Var up(uniform({kSteps, kB, kH}, "g"));
  for (auto _ : state) {
    gru.zero_grad();
    x.zero_grad();
    gru(x).output.backward(up);
  }
}
BENCHMARK(gru_layer)->Unit(benchmark::kMillisecond)->UseRealTime();

// The products of the LSTM layer, forward and backward, as a well-scheduled step does them: one
// over all time steps for the inputs and for each weight's gradient, T thin ones for the
// recurrence.
void lstm_layer_products(benchmark::State& state) {
  const Tensor x = uniform({kSteps * kB, kI}, "x"), w = uniform({kI, 4 * kH}, "w"),
               u = uniform({kH, 4 * kH}, "u"), h = uniform({kSteps * kB, kH}, "h");
  const Tensor gates = Tensor::zeros({kSteps * kB, 4 * kH}), dx = Tensor::zeros({kSteps * kB, kI}),
               dh = Tensor::zeros({kB, kH}), dw = Tensor::zeros({4 * kH, kI}),
               du = Tensor::zeros({4 * kH, kH});
  for (auto _ : state) {
    gemm_into(x, w, 0, gates);
    for (int64_t t = 0; t < kSteps; ++t)
      gemm_into(h.narrow(0, t * kB, kB), u, 1, gates.narrow(0, t * kB, kB));
    for (int64_t t = 0; t < kSteps; ++t)
      gemm_into(gates.narrow(0, t * kB, kB), u.transpose(0, 1), 0, dh);
    gemm_into(gates, w.transpose(0, 1), 0, dx);
    gemm_into(gates.transpose(0, 1), x, 0, dw);
    gemm_into(gates.transpose(0, 1), h, 0, du);
    gates.zero_();
  }
}
BENCHMARK(lstm_layer_products)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace glass::bench
