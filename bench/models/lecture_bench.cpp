// Bahdanau's translator as a lecture writes it: one decoder step after another, nothing taken out
// of the loop but the keys, which are the same at every step. With tuned:1 attention is one fused
// op, and the output layer stands behind the loop. The losses of the first training steps must be
// those of LibTorch 1.13.1 from the same numbers.
#include <benchmark/benchmark.h>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "bench/workload.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/lstm.h"
#include "optim/adam.h"
#include "optim/clip.h"

namespace glass::bench {
namespace {

struct Sizes {
  int64_t vocabulary, embedding, hidden, batch, source, target;
};

class Lecture : public Module {
 public:
  Lecture(const Sizes& s, bool tuned, Generator& g)
      : tuned(tuned),
        src_embed(s.vocabulary, s.embedding, -1, g),
        tgt_embed(s.vocabulary, s.embedding, -1, g),
        encoder(s.embedding, s.hidden, {.batch_first = true}, g),
        decoder(s.embedding + s.hidden, s.hidden, true, g),
        W_s(s.hidden, s.hidden, false, g),
        W_h(s.hidden, s.hidden, false, g),
        v(s.hidden, 1, false, g),
        fc(s.hidden, s.vocabulary, true, g) {}

  void visit(Visitor& each) override {
    each("src_embed", src_embed);
    each("tgt_embed", tgt_embed);
    each("encoder", encoder);
    each("decoder", decoder);
    each("W_s", W_s);
    each("W_h", W_h);
    each("v", v);
    each("fc", fc);
  }

  Var loss(const Var& src, const Var& in, const Var& out) {
    const auto [states, last] = encoder(src_embed(src));
    const Var keys = W_h(states), weight = reshape(v.weight, {-1});
    LstmState s{squeeze(last.h, 0), squeeze(last.c, 0)};
    std::vector<Var> steps;
    for (int64_t t = 0; t < in.size(1); ++t) {
      const Var context = tuned ? additive_attention(W_s(s.h), keys, weight, states, {})[0]
                                : attend(W_s(s.h), keys, states);
      s = decoder(cat({tgt_embed(select(in, 1, t)), context}, -1), s);
      steps.push_back(tuned ? s.h : fc(s.h));
    }
    const Var logits = tuned ? fc(stack(steps, 1)) : stack(steps, 1);
    return cross_entropy(logits, out, {.ignore_index = 0});
  }

  Var attend(const Var& query, const Var& keys, const Var& states) {
    const Var scores = squeeze(v(tanh(unsqueeze(query, 1) + keys)), -1);
    return squeeze(matmul(unsqueeze(softmax(scores, -1), 1), states), 1);
  }

  bool tuned;
  Embedding src_embed, tgt_embed;
  LSTM encoder;
  LSTMCell decoder;
  Linear W_s, W_h, v, fc;
};

std::string name_in_libtorch(const std::string& name) {
  return name.starts_with("decoder.") ? name + "_l0" : name;  // there it is a layer
}

void seq2seq_lecture(benchmark::State& state) {
  const bool small = state.range(0);
  const Sizes s = small ? Sizes{40, 64, 128, 64, 20, 10} : Sizes{8000, 256, 512, 64, 25, 25};
  const std::vector<double> expected = small ? std::vector{3.69153714, 3.689008, 3.68647361}
                                             : std::vector{8.98849106, 8.9667263, 8.93121815};
  Generator generator(1);
  Lecture model(s, state.range(1), generator);
  fill_parameters(model, name_in_libtorch);
  Adam adam(model.parameters(), {.lr = 1e-3});
  const Var src(ids({s.batch, s.source}, "src", 1, s.vocabulary));
  const Tensor tgt = ids({s.batch, s.target + 1}, "tgt", 1, s.vocabulary);
  for (int64_t b = 0; b < s.batch; ++b)  // ragged: what is left out is padding, id 0
    if (b % 8 > 0) tgt.select(0, b).narrow(0, s.target + 1 - b % 8, b % 8).fill_(0);
  const Var in(tgt.narrow(1, 0, s.target)), out(tgt.narrow(1, 1, s.target));
  const auto step = [&] {
    model.zero_grad();
    const Var loss = model.loss(src, in, out);
    loss.backward();
    clip_grad_norm_(model.parameters(), 1.0);
    adam.step();
    return loss.item();
  };
  std::vector<double> losses;
  for (size_t i = 0; i < expected.size(); ++i) losses.push_back(step());
  require_close("seq2seq_lecture", losses, expected, 1e-5);
  for (auto _ : state) step();
}

BENCHMARK(seq2seq_lecture)
    ->ArgNames({"small", "tuned"})
    ->ArgsProduct({{1, 0}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace glass::bench
