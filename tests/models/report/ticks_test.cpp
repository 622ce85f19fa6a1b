#include "models/report/ticks.h"

#include <limits>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;

namespace {

using Labels = std::vector<std::string>;

Labels labels(const std::vector<Tick>& ticks) {
  Labels out;
  for (const Tick& tick : ticks) out.push_back(tick.label);
  return out;
}

}  // namespace

TEST_CASE("linear ticks are round, inside, and have equal decimals", "[report]") {
  CHECK(labels(nice_ticks(0, 1)) == Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(nice_ticks(0, 97)) == Labels{"0", "20", "40", "60", "80"});
  CHECK(labels(nice_ticks(100, 1500)) == Labels{"500", "1000", "1500"});
  CHECK(labels(nice_ticks(-1, 1)) == Labels{"-1.0", "-0.5", "0.0", "0.5", "1.0"});
  CHECK(labels(nice_ticks(0.0012, 0.0049)) == Labels{"0.002", "0.003", "0.004"});
  CHECK(labels(nice_ticks(0, 20000)) == Labels{"0", "5000", "10000", "15000", "20000"});
  const auto ticks = nice_ticks(0.1, 0.7);
  CHECK(ticks.front().value == Approx(0.1));
  CHECK(ticks.back().value == Approx(0.7));
}

TEST_CASE("ticks of equal, near, huge and tiny ends", "[report]") {
  CHECK(labels(nice_ticks(3, 3)) == Labels{"3"});
  CHECK(nice_ticks(1, 1 + 1e-15).size() == 2);
  CHECK(nice_ticks(-1e308, 1.5e308).size() == 2);
  CHECK(!nice_ticks(0, 1e300).empty());
  CHECK(!nice_ticks(0, 1e-200).empty());
  CHECK(nice_ticks(0, 5e-324).size() == 2);
}

TEST_CASE("logarithmic ticks are powers of ten, finer when few fit", "[report]") {
  CHECK(labels(log_ticks(0.01, 10)) == Labels{"0.01", "0.1", "1", "10"});
  CHECK(labels(log_ticks(0.03, 1)) == Labels{"0.05", "0.1", "0.2", "0.5", "1"});
  CHECK(labels(log_ticks(3, 30)) == Labels{"5", "10", "20"});
  CHECK(log_ticks(1e-12, 1e12).size() <= 9);
}

TEST_CASE("ticks refuse what has no order", "[report]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(nice_ticks(1, 0), Error);
  CHECK_THROWS_AS(nice_ticks(nan, 1), Error);
  CHECK_THROWS_AS(nice_ticks(0, std::numeric_limits<double>::infinity()), Error);
  CHECK_THROWS_AS(log_ticks(0, 1), Error);
  CHECK_THROWS_AS(log_ticks(nan, 1), Error);
  CHECK_THROWS_AS(log_ticks(2, 1), Error);
}
