#include "nn/attention/normalizer.h"

#include <cmath>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/monotonic.h"
#include "nn/attention/attention.h"
#include "nn/attention/losses.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

Var constant_chance(double p, int64_t S) { return Var(Tensor::full({1, 1, S}, p, kFloat64)); }

double mass_of(const Var& x) { return sum(x).item(); }

}  // namespace

// p = ½: the first query stops at 0, 1, 2 with ½, ¼, ⅛. The second: q = ½, ½, ⅜.
TEST_CASE("monotonic attention goes on from where it stopped", "[attention][monotonic]") {
  const Var scores(Tensor::zeros({1, 2, 3}, kFloat64));
  const Var r(Tensor::scalar(0, kFloat64));
  Generator g;
  const MonotonicNormalizer exact{.hard_in_eval = false};
  check_close(monotonic_weights(scores, {}, {}, r, exact, false, g),
              {0.5, 0.25, 0.125, 0.25, 0.25, 0.1875});
  // A hidden key is passed over.
  const Tensor allowed = Tensor::from({1.0, 0.0, 1.0}, {1, 1, 3}).to(kBool);
  check_close(monotonic_weights(scores, allowed, {}, r, exact, false, g),
              {0.5, 0, 0.25, 0.25, 0, 0.25});
}

TEST_CASE("the closed form of monotonic attention loses its mass", "[attention][monotonic]") {
  Tensor last = Tensor::zeros({1, 100}, kFloat64);
  last.narrow(1, 40, 1).fill_(1);
  const Var p = constant_chance(0.5, 100);
  CHECK(mass_of(monotonic_attention(p, Var(last))) == Approx(1).margin(1e-12));
  CHECK(mass_of(parallel_monotonic_attention(p, Var(last))) == Approx(0.009).margin(0.0005));
  // On short inputs both are the same.
  Generator g(2);
  const Var chance(uniform({2, 3, 5}, 0.1, 0.9, kFloat64, g));
  const Var start(uniform({2, 5}, 0, 0.2, kFloat64, g));
  check_close(parallel_monotonic_attention(chance, start),
              numbers(monotonic_attention(chance, start)));
}

TEST_CASE("hard monotonic attention stops at the first likely key", "[attention][monotonic]") {
  const Var r(Tensor::scalar(0, kFloat64));
  const Var scores(
      Tensor::from({-1.0, 1.0, 2.0, 3.0, -1.0, 1.0, -1.0, -1.0, -1.0, 9.0, 9.0, 9.0}, {1, 3, 4}));
  Generator g;
  // Key 1; from there on key 1 fails and 2 … 3 too in the second row but for 1 itself; the third
  // row starts again at the last place.
  check_close(monotonic_weights(scores, {}, {}, r, {.mode = MonotonicMode::hard}, true, g),
              {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
  const Var never(Tensor::full({1, 2, 4}, -1, kFloat64));
  check_close(monotonic_weights(never, {}, {}, r, {}, false, g), {0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("monotonic attention draws its noise from the generator", "[attention][monotonic]") {
  const Var scores(Tensor::zeros({1, 2, 3}, kFloat64)), r(Tensor::scalar(0, kFloat64));
  Generator a(1), b(1), c(2);
  const auto one = numbers(monotonic_weights(scores, {}, {}, r, {}, true, a));
  CHECK(one == numbers(monotonic_weights(scores, {}, {}, r, {}, true, b)));
  CHECK(one != numbers(monotonic_weights(scores, {}, {}, r, {}, true, c)));
}

// Scores 0 and ln 3 share a chunk as ¼ and ¾.
TEST_CASE("MoChA spreads its alignment over the keys before", "[attention][monotonic]") {
  const Var scores(Tensor::from({0.0, std::log(3.0), 5.0}, {1, 1, 3}));
  check_close(chunkwise_weights(Var(Tensor::from({0.0, 1.0, 0.0}, {1, 1, 3})), scores, {}, 2),
              {0.25, 0.75, 0});
  check_close(chunkwise_weights(Var(Tensor::from({0.5, 0.5, 0.0}, {1, 1, 3})), scores, {}, 2),
              {0.625, 0.375, 0});
  const Tensor allowed = Tensor::from({0.0, 1.0, 1.0}, {1, 1, 3}).to(kBool);
  check_close(chunkwise_weights(Var(Tensor::from({0.0, 1.0, 0.0}, {1, 1, 3})), scores, allowed, 2),
              {0, 1, 0});
}

namespace {

// Scores of 4 keys and what each is worth.
const std::vector<double> kScores{0.3, -0.5, 1.0, 0.1}, kRewards{1.0, -2.0, 0.5, 3.0};

// The gradient of -E[reward] = -Σ α_j·R_j: -α_j·(R_j - E).
std::vector<double> exact_gradient() {
  double total = 0, expected = 0;
  for (double e : kScores) total += std::exp(e);
  for (size_t j = 0; j < 4; ++j) expected += std::exp(kScores[j]) / total * kRewards[j];
  std::vector<double> gradient;
  for (size_t j = 0; j < 4; ++j)
    gradient.push_back(-std::exp(kScores[j]) / total * (kRewards[j] - expected));
  return gradient;
}

}  // namespace

TEST_CASE("REINFORCE's mean over draws is the exact gradient", "[attention][estimator]") {
  const int64_t n = 40000;
  for (const double baseline : {0.0, 0.8}) {
    Generator g(5);
    const Var one = leaf(kScores, {1, 1, 4});
    const Chosen y = hard_weights(expand(one, {n, 1, 4}), {}, {}, true, {}, g);
    const Var reward = sum(y.weights * Var(Tensor::from(kRewards, {4})), {2});
    reinforce_loss(y.log_probability, reward, y.entropy, baseline, {.entropy_weight = 0})
        .backward();
    const auto estimate = numbers(one.grad()), exact = exact_gradient();
    // One draw's deviation is below 3 here: five of the mean's are 15/√n.
    for (size_t j = 0; j < 4; ++j)
      CHECK(estimate[j] == Approx(exact[j]).margin(15 / std::sqrt(static_cast<double>(n))));
  }
}

TEST_CASE("REINFORCE by enumeration is the exact gradient", "[attention][estimator]") {
  for (int64_t S = 1; S <= 6; ++S) {
    Generator g(static_cast<uint64_t>(S));
    const Var scores(uniform({1, 1, S}, -2, 2, kFloat64, g), true);
    const Tensor worth = uniform({S}, -1, 1, kFloat64, g);
    const Var alpha = softmax(scores, 2);
    const auto exact = numbers(grad({-sum(alpha * Var(worth))}, {scores})[0]);
    std::vector<double> mean(static_cast<size_t>(S), 0.0);
    for (int64_t j = 0; j < S; ++j) {
      const Var log_p = select(log(softmax(scores, 2)), 2, j);
      const Var loss = reinforce_loss(log_p, Var(worth.narrow(0, j, 1)), {}, 0.7);
      const auto gradient = numbers(grad({loss}, {scores})[0]);
      const double p = alpha.value().at({0, 0, j});
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += p * gradient[i];
    }
    for (size_t i = 0; i < mean.size(); ++i) CHECK(mean[i] == Approx(exact[i]).margin(1e-12));
  }
}

TEST_CASE("hard attention draws keys as often as they are likely", "[attention][estimator]") {
  const int64_t n = 20000;
  double total = 0;
  for (double e : kScores) total += std::exp(e);
  for (const Estimator estimator :
       {Estimator::reinforce, Estimator::straight_through, Estimator::gumbel}) {
    Generator g(11);
    const Chosen y = hard_weights(expand(leaf(kScores, {1, 1, 4}), {n, 1, 4}), {},
                                  {.estimator = estimator}, true, {}, g);
    const auto share = numbers(mean(y.weights, {0, 1}));
    for (size_t j = 0; j < 4; ++j) {
      const double p = std::exp(kScores[j]) / total;
      CHECK(share[j] == Approx(p).margin(5 * std::sqrt(p * (1 - p) / n)));
    }
    for (double w : numbers(y.weights)) REQUIRE((std::abs(w) < 1e-12 || std::abs(w - 1) < 1e-12));
  }
}

TEST_CASE("straight-through gradients are those of the softmax", "[attention][estimator]") {
  const Var scores = leaf(kScores, {1, 1, 4});
  const Var up(Tensor::from(kRewards, {1, 1, 4}));
  Generator g(1);
  const Chosen y =
      hard_weights(scores, {}, {.estimator = Estimator::straight_through}, true, {}, g);
  const auto got = numbers(grad({y.weights}, {scores}, {up})[0]);
  const auto want = numbers(grad({softmax(scores, 2)}, {scores}, {up})[0]);
  for (size_t j = 0; j < 4; ++j) CHECK(got[j] == Approx(want[j]).margin(1e-12));
}

TEST_CASE("Gumbel gradients are those of the softmax with the same noise",
          "[attention][estimator]") {
  const Var scores = leaf(kScores, {1, 1, 4});
  const Var up(Tensor::from(kRewards, {1, 1, 4}));
  const double temperature = 0.7;
  Generator g(1), same(1);
  const Chosen y = hard_weights(
      scores, {}, {.estimator = Estimator::gumbel, .temperature = temperature}, true, {}, g);
  const Var noise = -log(-log(Var(uniform({1, 1, 4}, 1e-12, 1, kFloat64, same))));
  const Var surrogate = softmax((log_softmax(scores / temperature, 2) + noise) / temperature, 2);
  const auto got = numbers(grad({y.weights}, {scores}, {up})[0]);
  const auto want = numbers(grad({surrogate}, {scores}, {up})[0]);
  for (size_t j = 0; j < 4; ++j) CHECK(got[j] == Approx(want[j]).margin(1e-10));
}

TEST_CASE("expectation_prob chooses whole rows for all their queries", "[attention][estimator]") {
  Generator g(4);
  Attention a({.query_dim = 2, .key_dim = 2, .normalizer = HardNormalizer{}}, g);
  const Var keys(uniform({200, 3, 2}, -1, 1, kFloat32, g));
  const Var query(uniform({200, 2, 2}, -1, 1, kFloat32, g));
  const Tensor w = a(query, a.prepare(keys)).weights.dense().value();
  int soft = 0;
  for (int64_t b = 0; b < 200; ++b) {
    const auto is_soft = [&](int64_t t) {
      const double first = w.at({b, 0, t, 0});
      return first != 0 && first != 1;
    };
    CHECK(is_soft(0) == is_soft(1));
    soft += is_soft(0);
  }
  CHECK(soft > 65);  // 100 ± 5·7.1
  CHECK(soft < 135);
}

TEST_CASE("hard attention without keys chooses none", "[attention][estimator]") {
  Generator g(4);
  const Tensor none = Tensor::zeros({1, 1, 3}, kBool);
  for (const bool training : {true, false})
    for (const Estimator e :
         {Estimator::reinforce, Estimator::straight_through, Estimator::gumbel}) {
      const Var scores = leaf({1.0, 2.0, 3.0}, {1, 1, 3});
      const Chosen y = hard_weights(scores, none, {.estimator = e}, training, {}, g);
      check_close(y.weights, {0, 0, 0});
      check_close(y.entropy, {0});
      for (double number : numbers(y.log_probability)) CHECK(number == 0);
    }
}

TEST_CASE("a moving baseline follows the reward", "[attention][estimator]") {
  MovingBaseline b;
  b.update(10);
  CHECK(b.value() == Approx(1));
  b.update(10);
  CHECK(b.value() == Approx(1.9));
}

// A weight of 1e-44 is above 0 and its reciprocal is infinite in float32.
TEST_CASE("hard attention's gradients are finite where weights vanish", "[attention][estimator]") {
  for (const Estimator e : {Estimator::reinforce, Estimator::straight_through, Estimator::gumbel})
    for (const float far : {-100.0f, -103.0f, -1000.0f}) {
      Generator g(4);
      const Var scores(Tensor::from({0.0f, far, far}, {1, 1, 3}), true);
      const Chosen y = hard_weights(scores, {}, {.estimator = e}, true, {}, g);
      (sum(y.log_probability) + sum(y.entropy) + sum(y.weights)).backward();
      for (double number : numbers(scores.grad())) CHECK(std::isfinite(number));
    }
}
