#include "nn/attention/intervention.h"

#include "autograd/autograd.h"
#include "nn/attention/attention.h"
#include "nn/attention/recorder.h"
#include "nn/transformer.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

// All weight on one place.
AttentionIntervention::Change only(int64_t place) {
  return [place](const Tensor& weights) {
    const Tensor other = Tensor::zeros(weights.shape(), weights.dtype());
    other.select(3, place).fill_(1);
    return other;
  };
}

Tensor unchanged(const Tensor& weights) { return weights; }

}  // namespace

TEST_CASE("weights that are not changed change nothing, however they are computed",
          "[attention][intervention]") {
  Generator g(3);
  for (const AttentionScope& scope :
       {AttentionScope(GlobalScope{}), AttentionScope(LocalMScope{1}),
        AttentionScope(LocalPScope{.D = 1}), AttentionScope(CausalScope{})})
    for (const AttentionScore& score :
         {AttentionScore(AdditiveScore{.attn_dim = 4}), AttentionScore(DotScore{})}) {
      Attention a({.query_dim = 4, .key_dim = 4, .score = score, .scope = scope}, g);
      a.eval();
      const Var x(uniform({2, 5, 4}, -1, 1, kFloat64, g)),
          q(uniform({2, 3, 4}, -1, 1, kFloat64, g));
      a.to(kFloat64);
      const Keys keys = a.prepare(x, Mask::from_lengths({5, 3}, 5));
      const auto want = numbers(a(q, keys).output);
      const AttentionIntervention scoped(unchanged);
      check_close(a(q, keys).output, want);
      check_close(a(q, keys, {}, {.need_weights = false, .chunk = 2}).output, want);
      CHECK(scoped.calls() == 2);
    }
}

TEST_CASE("a changed layer reads the value that it was told to", "[attention][intervention]") {
  Generator g(4);
  const Var x(uniform({1, 3, 4}, -1, 1, kFloat32, g)), q(uniform({1, 2, 4}, -1, 1, kFloat32, g));
  for (const AttentionScope& scope : {AttentionScope(GlobalScope{}), AttentionScope(LocalMScope{1}),
                                      AttentionScope(LocalPScope{.D = 1})}) {
    Attention a({.query_dim = 4, .key_dim = 4, .scope = scope, .heads = {2}}, g);
    const AttentionIntervention scoped(only(2));
    AttentionRecorder recorder(a);
    const AttentionOutput y = a(q, a.prepare(x));
    for (int64_t t = 0; t < 2; ++t) check_close(select(y.context, 1, t), numbers(select(x, 1, 2)));
    CHECK(numbers(Var(recorder.calls()[0].weights)) ==
          std::vector<double>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  }
  MultiheadAttention m(4, 2, {.batch_first = true}, g);
  const AttentionIntervention scoped(only(1));
  check_close(m(q, x, x).weights, {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0});
}

TEST_CASE("one layer of a model is changed, and only in the innermost scope",
          "[attention][intervention]") {
  Generator g(5);
  TransformerEncoder model(2, 4, 2, {.dim_feedforward = 8, .dropout = 0, .batch_first = true},
                           false, g);
  const Var x(uniform({1, 3, 4}, -1, 1, kFloat32, g));
  const auto before = numbers(model(x));
  {
    const AttentionIntervention scoped(model, "layers.1.self_attn", only(0));
    AttentionRecorder recorder(model);
    CHECK(numbers(model(x)) != before);
    CHECK(scoped.calls() == 1);
    const std::vector<double> hot{1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    CHECK(numbers(Var(recorder.weights("layers.1.self_attn"))) == hot);
    CHECK(numbers(Var(recorder.weights("layers.0.self_attn"))) != hot);
    const AttentionIntervention inner(unchanged);
    CHECK(numbers(model(x)) == before);
  }
  CHECK(numbers(model(x)) == before);
}

TEST_CASE("an intervention says what does not fit", "[attention][intervention]") {
  Generator g(6);
  MultiheadAttention m(4, 2, {.batch_first = true}, g);
  const Var x(uniform({1, 3, 4}, -1, 1, kFloat32, g));
  CHECK(message_of([&] { AttentionIntervention(m, "decoder", unchanged); }) ==
        "AttentionIntervention: the model has no layer of this name: decoder");
  const AttentionIntervention scoped([](const Tensor& w) { return w.select(0, 0); });
  CHECK(message_of([&] { m(x, x, x); }) ==
        "AttentionIntervention: changed weights must keep their shape and type: [2, 3, 3] of "
        "float32, not [1, 2, 3, 3] of float32");
}
