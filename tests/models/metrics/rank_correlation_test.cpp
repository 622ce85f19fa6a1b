#include "models/metrics/rank_correlation.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("equal values share their ranks", "[metrics]") {
  CHECK(ranks({}).empty());
  CHECK(ranks({30, 10, 20}) == std::vector<double>{3, 1, 2});
  CHECK(ranks({1, 2, 2, 3}) == std::vector<double>{1, 2.5, 2.5, 4});
  CHECK(ranks({7, 7, 7, -1}) == std::vector<double>{3, 3, 3, 1});
  CHECK(ranks({-INFINITY, INFINITY, 0.0, -0.0}) == std::vector<double>{1, 4, 2.5, 2.5});
}

TEST_CASE("Spearman's correlation as worked out by hand", "[metrics]") {
  // No ties: ρ = 1 - 6·Σd²/(n·(n² - 1)), Σd² = 194, n = 10.
  const std::vector<double> a{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> b{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  CHECK(*spearman(a, b) == Approx(-29.0 / 165));
  // Ties: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4; Σxy = 4.5, Σxx = 4.5, Σyy = 5.
  CHECK(*spearman({1, 2, 2, 3}, {10, 30, 20, 40}) == Approx(4.5 / std::sqrt(4.5 * 5)));
  // One against the rest: ranks 2, 2, 4, 2 on both sides.
  CHECK(*spearman({0, 0, 1, 0}, {0, 0, 5, 0}) == Approx(1));
  CHECK(*spearman({0, 0, 1, 0}, {5, 5, 0, 5}) == Approx(-1));
  // Ranks 2, 2, 2, 4 and 4, 2, 2, 2: Σxy = -1, Σxx = Σyy = 3.
  CHECK(*spearman({0, 0, 0, 1}, {1, 0, 0, 0}) == Approx(-1.0 / 3));
  // Only the order counts.
  CHECK(*spearman({1, 2, 3}, {-1e9, 0, 1e-9}) == Approx(1));
}

TEST_CASE("without an order there is no correlation", "[metrics]") {
  CHECK_FALSE(spearman({}, {}));
  CHECK_FALSE(spearman({1}, {2}));
  CHECK_FALSE(spearman({1, 1, 1}, {1, 2, 3}));
  CHECK_FALSE(spearman({1, 2, 3}, {0.5, 0.5, 0.5}));
  CHECK(message_of([] {
          spearman({1, 2}, {1});
        }) == "spearman: both sides must have as many values: 2 and 1");
  CHECK(message_of([] {
          spearman({1, NAN}, {1, 2});
        }) == "ranks: a value that is no number has no rank: nan");
}
