// What papers, their authors' code and popular code give, worked out by hand.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/losses.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

Attention build(AttentionOptions options, Dialect dialect) {
  options.query_dim = options.key_dim = 1;
  options.dialect = dialect;
  Generator g;
  Attention a(options, g);
  a.to(kFloat64);
  return a;
}

AttentionOutput attend_with(const Attention& a, double query, const std::vector<double>& keys) {
  const int64_t S = static_cast<int64_t>(keys.size());
  return a(Var(Tensor::from({query}, {1, 1, 1})), a.prepare(Var(Tensor::from(keys, {1, S, 1}))));
}

}  // namespace

// v = 2, s = 1, h = 1 and -1. Paper, W = [½, ¼]: 2·tanh(0.75) and 2·tanh(0.25), the first weight
// σ(0.7804606). Authors, W = [½] on the query alone: 2·tanh(1.5) and 2·tanh(-0.5).
TEST_CASE("concat scores differ between the paper and its authors' code", "[attention][dialect]") {
  Attention paper = build({.score = ConcatScore{1}}, Dialect::paper);
  paper.scorer.query_weight = leaf({0.5, 0.25}, {1, 2});
  paper.scorer.v = leaf({2.0});
  check_close(attend_with(paper, 1, {1, -1}).weights.dense(), {0.68577937, 0.31422063});
  Attention authors = build({.score = ConcatScore{1}}, Dialect::authors);
  authors.scorer.query_weight = leaf({0.5}, {1, 1});
  authors.scorer.v = leaf({2.0});
  check_close(attend_with(authors, 1, {1, -1}).weights.dense(), {0.93903374, 0.06096626});
}

TEST_CASE("additive scores without projections are a dialect", "[attention][dialect]") {
  Attention popular = build({.score = AdditiveScore{1}}, Dialect::popular);
  CHECK(popular.named_parameters().size() == 1);
  popular.scorer.v = leaf({2.0});
  check_close(attend_with(popular, 0.5, {1, -1}).weights.dense(), {0.93903374, 0.06096626});
}

// s = 0: all scores are equal and σ(v·tanh(W·0)) = ½. Five keys, D = 1, σ = ½.
//   paper    p = 2.5, keys 2 and 3, each ½·exp(-½) = 0.3032653
//   authors  p = 4·½ = 2, keys 1 … 3, each ⅓ and the outer ones times exp(-2)
//   popular  p = 2.5 and no Gaussian
TEST_CASE("local-p differs in its centre and its factor", "[attention][dialect]") {
  const AttentionOptions options{.score = DotScore{}, .scope = LocalPScope{.D = 1}};
  const std::vector<double> keys{1, 2, 3, 4, 5};
  AttentionOutput y = attend_with(build(options, Dialect::paper), 0, keys);
  check_close(y.weights.dense(), {0, 0, 0.30326533, 0.30326533, 0});
  check_close(y.weights.mass(), {0.60653066});
  check_close(y.position, {2.5});
  check_close(y.context, {7 * 0.30326533});
  y = attend_with(build(options, Dialect::authors), 0, keys);
  check_close(y.weights.dense(), {0, 0.04511176, 1 / 3.0, 0.04511176, 0});
  check_close(y.position, {2});
  y = attend_with(build(options, Dialect::popular), 0, keys);
  check_close(y.weights.dense(), {0, 0, 0.5, 0.5, 0});
  AttentionOptions again = options;
  again.scope = LocalPScope{.D = 1, .renormalize = true};
  check_close(attend_with(build(again, Dialect::paper), 0, keys).weights.dense(),
              {0, 0, 0.5, 0.5, 0});
}

// σ(ln 3) = ¾. Two equal keys (4, 8): the context is (4, 8).
TEST_CASE("the captioning gate is one number, or one per feature", "[attention][dialect]") {
  for (const Dialect dialect : {Dialect::paper, Dialect::authors, Dialect::popular}) {
    Generator g;
    Attention a({.query_dim = 1,
                 .key_dim = 1,
                 .value_dim = 2,
                 .score = DotScore{},
                 .after = ContextGate{},
                 .dialect = dialect},
                g);
    a.to(kFloat64);
    const bool scalar = dialect != Dialect::popular;
    const std::vector<double> weight =
        scalar ? std::vector{std::log(3.0)} : std::vector{std::log(3.0), 0.0};
    const auto n = static_cast<int64_t>(weight.size());
    REQUIRE(a.after->weight.shape() == Shape{n, 1});
    a.after->weight = leaf(weight, {n, 1});
    a.after->bias = leaf(std::vector<double>(weight.size(), 0.0), {n});
    const Var keys(Tensor::from({1.0, 1.0}, {1, 2, 1}));
    const Var values(Tensor::from({4.0, 8.0, 4.0, 8.0}, {1, 2, 2}));
    const AttentionOutput y = a(Var(Tensor::from({1.0}, {1, 1})), a.prepare(keys, {}, values));
    check_close(y.context, {4, 8});
    check_close(y.output, {3, scalar ? 6.0 : 4.0});
  }
}

// v = 1, query 0, keys 2 and -3 through relu: 2 and 0; through tanh 0.9640276 and -0.9950548.
TEST_CASE("captioning code squashes scores by relu", "[attention][dialect]") {
  for (const Squash squash : {Squash::tanh, Squash::relu}) {
    Attention a = build({.score = AdditiveScore{.attn_dim = 1, .squash = squash}}, Dialect::paper);
    a.scorer.query_weight = a.scorer.key_weight = leaf({1.0}, {1, 1});
    a.scorer.v = leaf({1.0});
    const double first = squash == Squash::relu ? 0.88079708 : 0.87643361;
    check_close(attend_with(a, 0, {2, -3}).weights.dense(), {first, 1 - first});
  }
}

// Sums over time 0.75 and 1.25: squared distances from 1 are 0.0625 each.
TEST_CASE("the doubly stochastic term is averaged in three ways", "[attention][dialect]") {
  const Var weights(Tensor::from({0.5, 0.5, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75}, {2, 2, 2}));
  check_close(doubly_stochastic_loss(weights), {0.125});
  check_close(doubly_stochastic_loss(weights, 1, 1, Dialect::authors), {0.125});
  check_close(doubly_stochastic_loss(weights, 1, 1, Dialect::popular), {0.0625});
  const Var one(Tensor::from({0.5, 0.5, 0.25, 0.75}, {1, 2, 2}));
  check_close(doubly_stochastic_loss(one), {0.125});
  check_close(doubly_stochastic_loss(one, 2, 1, Dialect::authors), {0.125});
}

TEST_CASE("the doubly stochastic target moves no gradient of softmax rows", "[attention]") {
  Generator g(3);
  const Var scores(uniform({2, 3, 4}, -1, 1, kFloat64, g), true);
  const auto gradient = [&](double target) {
    return numbers(grad({doubly_stochastic_loss(softmax(scores, 2), 1, target)}, {scores})[0]);
  };
  const auto paper = gradient(1), reachable = gradient(3.0 / 4);
  for (size_t i = 0; i < paper.size(); ++i) CHECK(paper[i] == Approx(reachable[i]).margin(1e-12));
}

// Rows (0.5, 0.5), (0.25, 0.75), (1, 0): min with the sums before: 0; 0.25 + 0.5; 0.75.
TEST_CASE("coverage loss counts what was attended to before", "[attention]") {
  const Var weights(Tensor::from({0.5, 0.5, 0.25, 0.75, 1.0, 0.0}, {1, 3, 2}));
  check_close(coverage_loss(weights), {0.5});
  check_close(coverage_loss(weights, {2}), {0.375});
}

// e = v·tanh(s + h + w_c·c): key 0 had all the weight, w_c = -1, v = 2, s = h = 0.
TEST_CASE("coverage lowers the score of a key that was used", "[attention]") {
  Attention a = build({.score = AdditiveScore{1}, .coverage = true}, Dialect::popular);
  a.scorer.v = leaf({2.0});
  a.scorer.coverage_weight = leaf({-1.0});
  AttentionState state{.step = 1, .coverage = Var(Tensor::from({1.0, 0.0}, {1, 1, 2}))};
  const Keys keys = a.prepare(Var(Tensor::from({0.0, 0.0}, {1, 2, 1})));
  const AttentionOutput y = a(Var(Tensor::from({0.0}, {1, 1})), keys, state);
  check_close(y.weights.dense(), {0.17899252, 0.82100748});  // σ(-2·tanh 1)
  check_close(y.next.coverage, {1.17899252, 0.82100748});
}
