#include "models/diagnosis/attention_facts.h"

#include <cmath>

#include "tests/catch.h"

using namespace glass;

namespace {

// One head.
Tensor weights_of(const std::vector<double>& values, int64_t B, int64_t T, int64_t S) {
  return Tensor::from(values, {B, 1, T, S});
}

}  // namespace

TEST_CASE("attention facts: uniform weights", "[diagnosis]") {
  const AttentionFact fact =
      attention_fact(weights_of(std::vector<double>(12, 0.25), 1, 3, 4), {}, {}, false);
  CHECK(fact.entropy == Approx(1));
  CHECK(fact.top_key == Approx(0.25));
  CHECK(fact.padding == 0);
  CHECK(fact.score_spread == Approx(0).margin(1e-6));
}

TEST_CASE("attention facts: one key for all queries, and one each", "[diagnosis]") {
  const AttentionFact stuck =
      attention_fact(weights_of({0, 1, 0, 0, 1, 0, 0, 1, 0}, 1, 3, 3), {}, {}, false);
  CHECK(stuck.entropy == Approx(0));
  CHECK(stuck.top_key == Approx(1));
  const AttentionFact moving =
      attention_fact(weights_of({1, 0, 0, 0, 1, 0, 0, 0, 1}, 1, 3, 3), {}, {}, false);
  CHECK(moving.top_key == Approx(1.0 / 3));
  CHECK(moving.score_spread == 0);  // a hard choice has no scores to be read
}

TEST_CASE("attention facts: padding is neither asked nor forgiven", "[diagnosis]") {
  // Row 0 has two keys and one query, the rest is padding; row 1 has no padding.
  const Tensor weights = weights_of({0.5, 0.3, 0.2, 0, 0, 1, 0.2, 0.8, 0, 0, 0.5, 0.5}, 2, 2, 3);
  const AttentionFact fact = attention_fact(weights, {1, 2}, {2, 3}, false);
  CHECK(fact.padding == Approx(0.2));  // of the one query whose sentence has any
  CHECK(attention_fact(weights, {}, {}, false).padding == 0);
}

TEST_CASE("attention facts: weights tell how far scores spread", "[diagnosis]") {
  // softmax of scores 0, 3, 6: mean 3, variance (9 + 0 + 9) / 3.
  const double a = 1, b = std::exp(3), c = std::exp(6), all = a + b + c;
  const AttentionFact fact =
      attention_fact(weights_of({a / all, b / all, c / all}, 1, 1, 3), {}, {}, false);
  CHECK(fact.score_spread == Approx(std::sqrt(6.0)).epsilon(1e-5));
}

TEST_CASE("attention facts: under a causal mask the first query has no choice", "[diagnosis]") {
  const AttentionFact fact =
      attention_fact(weights_of({1, 0, 0, 0.5, 0.5, 0, 0, 0, 1}, 1, 3, 3), {}, {}, true);
  CHECK(fact.entropy == Approx(0.5));  // of 1 and 0
  CHECK(fact.padding == 0);
}
