#include "models/metrics/attention_spread.h"

#include <cmath>
#include <limits>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("entropy is 1 for even weights and 0 for one key", "[metrics]") {
  CHECK(attention_entropy({{0.25, 0.25, 0.25, 0.25}}) == Approx(1));
  CHECK(attention_entropy({{0, 1, 0}}) == 0);
  CHECK(attention_entropy({{0.5, 0.5, 0, 0}}) == Approx(0.5));
  CHECK(attention_entropy({{0.5, 0.5}, {1, 0}}) == Approx(0.5));  // the mean of the queries
  CHECK(attention_entropy({{0.9, 0.1}}) == Approx(0.46899559));   // in bits, as log 2 divides
  CHECK(attention_entropy({{1}}) == 0);
  CHECK(attention_entropy({{0, 0}}) == 0);
  CHECK(attention_entropy({}) == 0);
}

TEST_CASE("entropy is normalised by what a query could reach", "[metrics]") {
  CHECK(attention_entropy({{0.5, 0.5, 0, 0}}, {.window = 2}) == Approx(1));
  CHECK(attention_entropy({{0.5, 0.5}}, {.window = 9}) == Approx(1));
  CHECK(attention_entropy({{0.25, 0.25}}, {.lost_mass = true}) ==
        Approx(1.5 * std::log(2.0) / std::log(3.0)));
  CHECK(attention_entropy({{0.5}}, {.lost_mass = true}) == Approx(1));
  CHECK(attention_entropy({{0, 0}}, {.lost_mass = true}) == 0);
  CHECK(attention_entropy({{0.6, 0.40000001}}, {.lost_mass = true}) ==
        Approx(0.67301167 / std::log(3.0)));  // rounding leaves no lost mass
}

TEST_CASE("coverage deviation sums over the keys", "[metrics]") {
  CHECK(coverage_deviation({{1, 0}, {0, 1}}) == 0);
  CHECK(coverage_deviation({{1, 0}, {1, 0}}) == 2);
  CHECK(coverage_deviation({{0.5, 0.25, 0.25}}) == Approx(0.25 + 2 * 0.5625));
  CHECK(coverage_deviation({}) == 0);
}

TEST_CASE("what are no weights is refused", "[metrics]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<std::vector<double>>& bad :
       {std::vector<std::vector<double>>{{0.5, 0.5}, {1}}, {{-0.1, 1}}, {{nan}}, {{0.7, 0.7}}}) {
    CHECK_THROWS_AS(attention_entropy(bad), Error);
    CHECK_THROWS_WITH(coverage_deviation(bad), ContainsSubstring("row "));
  }
  CHECK_THROWS_AS(attention_entropy({{1}}, {.window = -1}), Error);
}
