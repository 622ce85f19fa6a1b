#include "models/text/draws.h"

#include <array>

#include "tests/catch.h"

using namespace glass;

TEST_CASE("draws stay below n and are even", "[text]") {
  std::mt19937_64 random(3);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) {
    const uint64_t draw = draw_below(random, 7);
    REQUIRE(draw < 7);
    ++seen[draw];
  }
  for (int count : seen) CHECK(std::abs(count - 10000) < 500);  // five standard deviations
  CHECK(draw_below(random, 1) == 0);
  // Taken as they come, modulo n, a half of these would fall into the lowest third.
  const uint64_t quarter = uint64_t{1} << 62;
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += draw_below(random, 3 * quarter) < quarter ? 1 : 0;
  CHECK(std::abs(low - 10000) < 400);
  CHECK(draw_below(random, ~uint64_t{0}) < ~uint64_t{0});
}

TEST_CASE("a shuffle holds everything and every order is as likely", "[text]") {
  std::mt19937_64 random(4);
  std::array<int, 6> orders{};
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(items, random);
    REQUIRE(items[0] + items[1] + items[2] == 3);
    ++orders[static_cast<size_t>(items[0] * 2 + (items[1] > items[2] ? 1 : 0))];
  }
  for (int count : orders) CHECK(std::abs(count - 10000) < 500);
  std::vector<int> none;
  shuffle(none, random);
  CHECK(none.empty());
}

TEST_CASE("mix64 is the finaliser of SplitMix64", "[text]") {
  // The first two numbers of the published generator started at 0.
  CHECK(mix64(0) == 0xE220A8397B1DCDAFULL);
  CHECK(mix64(0x9E3779B97F4A7C15ULL) == 0x6E789E6AA1B965F4ULL);
}
