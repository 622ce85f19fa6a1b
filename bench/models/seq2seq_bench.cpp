// A training step of the translator: gradients dropped, forward, backward, clipping, Adam.
#include <benchmark/benchmark.h>

#include "bench/workload.h"
#include "models/seq2seq/seq2seq.h"
#include "optim/adam.h"
#include "optim/clip.h"

namespace glass::bench {
namespace {

Seq2SeqBatch random_batch(int64_t vocabulary, int64_t batch, int64_t source, int64_t target) {
  std::vector<std::vector<int64_t>> sources, targets;
  const Tensor s = ids({batch, source}, "source", 4, vocabulary);
  const Tensor t = ids({batch, target}, "target", 4, vocabulary);
  for (int64_t i = 0; i < batch; ++i) {
    sources.push_back(s.select(0, i).to_vector<int64_t>());
    targets.push_back(t.select(0, i).to_vector<int64_t>());
  }
  return make_batch({sources.begin(), sources.end()}, targets);
}

void train_steps(benchmark::State& state, int64_t vocabulary, int64_t embedding, int64_t hidden,
                 int64_t source, int64_t target) {
  Seq2Seq model({.source_vocabulary = vocabulary,
                 .target_vocabulary = vocabulary,
                 .embedding = embedding,
                 .hidden = hidden,
                 .attention = {.size = hidden},
                 .dropout = 0},
                1);
  Adam adam(model.parameters(), {.lr = 1e-3});
  const Seq2SeqBatch batch = random_batch(vocabulary, 64, source, target);
  const auto step = [&] {
    model.zero_grad();
    const auto loss = model.loss(batch);
    loss.mean.backward();
    clip_grad_norm_(model.parameters(), 1.0);
    adam.step();
    return loss.mean.item();
  };
  const double first = step();
  require_close("seq2seq: loss before training", first, std::log(static_cast<double>(vocabulary)),
                0.05);
  for (int i = 0; i < 5; ++i) step();
  if (!(step() < first)) throw std::runtime_error("seq2seq: the loss does not fall, not timed");
  for (auto _ : state) step();
}

void seq2seq_small(benchmark::State& state) { train_steps(state, 40, 64, 128, 20, 9); }
BENCHMARK(seq2seq_small)->Unit(benchmark::kMillisecond)->UseRealTime();

void seq2seq_g2p(benchmark::State& state) { train_steps(state, 45, 256, 256, 8, 7); }
BENCHMARK(seq2seq_g2p)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace glass::bench
