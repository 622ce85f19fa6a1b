// Relations between members of the family, over random shapes.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/multihead_attention.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

// Random sizes and inputs of one trial.
struct Trial {
  explicit Trial(uint64_t seed) : g(seed) {
    B = 1 + g.draw_int(3);
    T = 1 + g.draw_int(4);
    S = 1 + g.draw_int(6);
    D = 2 * (1 + g.draw_int(3));
    query = draw({B, T, D});
    keys = draw({B, S, D});
    for (int64_t b = 0; b < B; ++b) lengths.push_back(g.draw_int(S + 1));
    mask = Mask::from_lengths(lengths, S);
  }
  Var draw(const Shape& shape) { return Var(uniform(shape, -1, 1, kFloat64, g)); }
  Attention build(const AttentionOptions& chosen) {
    AttentionOptions o = chosen;
    o.query_dim = o.key_dim = D;
    Attention a(o, g);
    a.to(kFloat64);
    a.eval();
    return a;
  }
  AttentionOutput operator()(const Attention& a) const { return a(query, a.prepare(keys, mask)); }

  Generator g;
  int64_t B, T, S, D;
  Var query, keys;
  std::vector<int64_t> lengths;
  Mask mask;
};

void check_same(const Var& a, const Var& b, double tolerance = 1e-12) {
  REQUIRE(a.shape() == b.shape());
  const auto x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).margin(tolerance));
}

void check_same(const AttentionOutput& a, const AttentionOutput& b, double tolerance = 1e-12) {
  check_same(a.output, b.output, tolerance);
  check_same(a.weights.dense(), b.weights.dense(), tolerance);
}

constexpr uint64_t kTrials = 12;

}  // namespace

TEST_CASE("general attention with the identity is dot attention", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    Attention general = t.build({.score = GeneralScore{}});
    general.scorer.key_weight = Var(Tensor::eye(t.D, kFloat64));
    check_same(t(general), t(t.build({.score = DotScore{}})));
  }
}

TEST_CASE("concat attention is additive attention with its weight cut in two", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    const Attention concat = t.build({.score = ConcatScore{5}});
    Attention additive = t.build({.score = AdditiveScore{5}});
    additive.scorer.query_weight = narrow(concat.scorer.query_weight, 1, 0, t.D);
    additive.scorer.key_weight = narrow(concat.scorer.query_weight, 1, t.D, t.D);
    additive.scorer.v = concat.scorer.v;
    check_same(t(concat), t(additive));
  }
}

TEST_CASE("dot attention of queries over √d is scaled dot attention", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    const AttentionOutput scaled = t(t.build({.score = ScaledDotScore{}}));
    const Attention dot = t.build({.score = DotScore{}});
    t.query = t.query / std::sqrt(static_cast<double>(t.D));
    check_same(scaled, t(dot));
  }
}

TEST_CASE("one head with identity projections is scaled dot attention", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    Attention headed = t.build(
        {.score = ScaledDotScore{}, .heads = {.in_proj = true, .out_proj = true, .bias = false}});
    const Var one(Tensor::eye(t.D, kFloat64));
    for (auto* projection : {&headed.q_proj, &headed.k_proj, &headed.v_proj, &headed.out_proj})
      (*projection)->weight = one;
    check_same(t(headed), t(t.build({.score = ScaledDotScore{}})));
  }
}

TEST_CASE("multi-head attention of the Transformer is a point of the family", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    MultiheadAttention torch(t.D, 2, {.batch_first = true}, t.g);
    torch.to(kFloat64);
    torch.eval();
    Attention family = t.build(
        {.score = ScaledDotScore{}, .heads = {.num_heads = 2, .in_proj = true, .out_proj = true}});
    int64_t part = 0;
    for (auto* projection : {&family.q_proj, &family.k_proj, &family.v_proj}) {
      (*projection)->weight = narrow(torch.in_proj_weight, 0, part * t.D, t.D);
      (*projection)->bias = narrow(torch.in_proj_bias, 0, part++ * t.D, t.D);
    }
    *family.out_proj = torch.out_proj;
    const Attended want = torch(t.query, t.keys, t.keys, t.mask);
    const AttentionOutput got = t(family);
    check_same(got.output, want.context);
    check_same(got.weights.dense(), want.weights);
  }
}

TEST_CASE("a window over everything is no window", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    const int64_t D = t.S + t.T;
    const AttentionOutput global = t(t.build({.score = DotScore{}}));
    check_same(t(t.build({.score = DotScore{}, .scope = LocalMScope{D}})), global);
    check_same(t(t.build({.score = DotScore{}, .scope = LocalPScope{.D = D, .sigma = 1e9}})),
               global);
    const Attention additive = t.build({.score = AdditiveScore{3}});
    Attention local = t.build({.score = AdditiveScore{3}, .scope = LocalMScope{D}});
    local.scorer = additive.scorer;
    check_same(t(local), t(additive));
  }
}

TEST_CASE("a prior of strength 0 changes nothing", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    const AttentionOutput global = t(t.build({.score = DotScore{}}));
    for (const PriorKind kind : {PriorKind::laplace, PriorKind::gaussian, PriorKind::linear})
      check_same(
          t(t.build({.score = DotScore{}, .scope = PriorScope{.kind = kind, .strength = 0}})),
          global);
  }
}

TEST_CASE("a strong prior leaves its centre alone", "[attention]") {
  Trial t(1);
  t.query = t.draw({2, 3, t.D});
  t.keys = t.draw({2, 4, t.D});
  t.mask = {};
  const AttentionOutput y = t(t.build({.score = DotScore{}, .scope = PriorScope{.strength = 1e4}}));
  for (int64_t step = 0; step < 3; ++step)
    CHECK(y.weights.dense().value().at({1, 0, step, step}) == Approx(1));
}

TEST_CASE("MoChA with chunks of one key is monotonic attention", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    const MonotonicNormalizer monotonic{.r_init = -0.5, .hard_in_eval = false};
    check_same(t(t.build({.score = DotScore{}, .normalizer = MochaNormalizer{1, monotonic}})),
               t(t.build({.score = DotScore{}, .normalizer = monotonic})));
  }
}

TEST_CASE("hard attention as the temperature falls is the likeliest key", "[attention]") {
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial t(seed);
    Attention sharp =
        t.build({.score = DotScore{},
                 .normalizer = HardNormalizer{.temperature = 1e-7, .expectation_prob = 0}});
    const AttentionOutput evaluated = t(sharp);
    sharp.train();
    check_same(t(sharp), evaluated);
    for (double w : numbers(evaluated.weights.dense())) CHECK((w == 0 || w == 1));
  }
}

TEST_CASE("permuted keys permute the weights", "[attention]") {
  for (const AttentionScore& score :
       {AttentionScore(DotScore{}), AttentionScore(GeneralScore{}), AttentionScore(ConcatScore{3}),
        AttentionScore(AdditiveScore{3}), AttentionScore(CosineScore{})})
    for (uint64_t seed = 0; seed < kTrials; ++seed) {
      Trial t(seed);
      t.mask = {};
      const Attention a = t.build({.score = score});
      const AttentionOutput before = t(a);
      const Var order(randperm(t.S, t.g));
      t.keys = index_select(t.keys, 1, order);
      const AttentionOutput after = t(a);
      check_same(after.output, before.output);
      check_same(after.weights.dense(), index_select(before.weights.dense(), 3, order));
    }
}

TEST_CASE("a step with kept keys is the whole sequence at once", "[attention]") {
  const std::vector<std::pair<AttentionScope, AttentionNormalizer>> choices{
      {GlobalScope{}, SoftmaxNormalizer{}},
      {LocalMScope{1}, SoftmaxNormalizer{}},
      {LocalPScope{.D = 1}, SoftmaxNormalizer{}},
      {PriorScope{.strength = 0.5}, SoftmaxNormalizer{}},
      {PriorScope{.strength = 0.5, .centre = PriorCentre::previous}, SoftmaxNormalizer{}},
      {CausalScope{}, SoftmaxNormalizer{}},
      {GlobalScope{}, HardNormalizer{}},
      {GlobalScope{}, MonotonicNormalizer{.r_init = 0, .hard_in_eval = false}},
      {GlobalScope{}, MonotonicNormalizer{.r_init = 0}},
      {GlobalScope{}, MochaNormalizer{2, {.r_init = 0, .hard_in_eval = false}}}};
  for (const bool coverage : {false, true})
    for (const int64_t heads : {1, 2})
      for (const auto& [scope, normalizer] : choices)
        for (uint64_t seed = 0; seed < 4; ++seed) {
          Trial t(seed);
          if (coverage && !std::holds_alternative<GlobalScope>(scope)) continue;
          if (coverage && !std::holds_alternative<SoftmaxNormalizer>(normalizer)) continue;
          const Attention a = t.build({.score = AdditiveScore{3},
                                       .scope = scope,
                                       .normalizer = normalizer,
                                       .heads = {heads},
                                       .coverage = coverage});
          const Keys keys = a.prepare(t.keys, t.mask);
          const AttentionOutput whole = a(t.query, keys);
          AttentionState state;
          for (int64_t i = 0; i < t.T; ++i) {
            const AttentionOutput y = a(select(t.query, 1, i), keys, state);
            check_same(y.output, select(whole.output, 1, i));
            check_same(y.weights.dense(), narrow(whole.weights.dense(), 2, i, 1));
            state = y.next;
          }
        }
}

TEST_CASE("padding with anything changes nothing, in every member", "[attention]") {
  const std::vector<AttentionScore> scores{DotScore{},      ScaledDotScore{}, GeneralScore{},
                                           ConcatScore{3},  AdditiveScore{3}, CosineScore{},
                                           LocationScore{9}};
  const std::vector<AttentionScope> scopes{GlobalScope{}, LocalMScope{1}, LocalPScope{.D = 2},
                                           PriorScope{}, CausalScope{}};
  const std::vector<AttentionNormalizer> normalizers{SoftmaxNormalizer{}, HardNormalizer{},
                                                     MonotonicNormalizer{.hard_in_eval = false},
                                                     MochaNormalizer{2, {.hard_in_eval = false}}};
  int built = 0;
  for (const AttentionScore& score : scores)
    for (const AttentionScope& scope : scopes)
      for (const AttentionNormalizer& normalizer : normalizers) {
        Trial t(static_cast<uint64_t>(built) + 5);
        std::optional<Attention> a;
        try {
          a.emplace(t.build({.score = score, .scope = scope, .normalizer = normalizer}));
        } catch (const Error&) {
          continue;
        }
        ++built;
        const Var may(t.mask.keys().unsqueeze(2));
        const AttentionOutput clean = t(*a);
        for (double poison : {std::nan(""), HUGE_VAL, 1e30}) {
          const Var query(t.query.value(), true), keys(where(may, t.keys, poison).value(), true);
          const AttentionOutput y = (*a)(query, a->prepare(keys, t.mask));
          CHECK(numbers(y.output) == numbers(clean.output));
          if (!y.output.requires_grad()) continue;
          for (const Var& gradient :
               grad({y.output}, {query, keys}, {Var(Tensor::ones(y.output.shape(), kFloat64))}))
            if (gradient.defined())
              for (double number : numbers(gradient)) CHECK(std::isfinite(number));
        }
        // A row without keys attends to nothing.
        for (int64_t b = 0; b < t.B; ++b)
          if (t.lengths[static_cast<size_t>(b)] == 0)
            for (double number : numbers(select(clean.output, 0, b))) CHECK(number == 0);
      }
  CHECK(built == 91);
}

// A window costs no more than its keys, however wide it was asked for.
TEST_CASE("a window is never wider than the keys", "[attention]") {
  Trial t(3);
  for (const int64_t D : {int64_t{4}, int64_t{1000000000}, INT64_MAX}) {
    t.query = t.draw({1, 9, t.D});
    t.keys = t.draw({1, 4, t.D});
    t.mask = {};
    const AttentionOutput local = t(t.build({.score = DotScore{}, .scope = LocalMScope{D}}));
    CHECK(local.weights.values.size(2) == 4);
    const AttentionOutput global = t(t.build({.score = DotScore{}}));
    // Query 8 of D = 4 sees keys 4 … 12: none.
    const int64_t near = D == 4 ? 4 : 9;
    check_same(narrow(local.output, 1, 0, 1), narrow(global.output, 1, 0, 1));
    if (near == 9) check_same(local, global);
    if (near == 4)
      CHECK(numbers(select(local.output, 1, 8)) ==
            std::vector<double>(static_cast<size_t>(t.D), 0.0));
  }
  t.build({.score = DotScore{}, .normalizer = MochaNormalizer{1000000000}});
  check_same(
      t(t.build({.score = DotScore{},
                 .normalizer = MochaNormalizer{1000000000, {.hard_in_eval = false}}})),
      t(t.build({.score = DotScore{}, .normalizer = MochaNormalizer{4, {.hard_in_eval = false}}})));
}
