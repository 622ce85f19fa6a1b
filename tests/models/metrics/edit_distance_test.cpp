#include "models/metrics/edit_distance.h"

#include <random>

#include "models/metrics/references.h"
#include "tests/catch.h"

using namespace glass;

namespace {

int64_t distance(const std::string& a, const std::string& b) {
  return edit_distance(std::vector<char>(a.begin(), a.end()),
                       std::vector<char>(b.begin(), b.end()));
}

}  // namespace

TEST_CASE("edit distances worked by hand", "[metrics]") {
  CHECK(distance("kitten", "sitting") == 3);
  CHECK(distance("saturday", "sunday") == 3);
  CHECK(distance("intention", "execution") == 5);
  CHECK(distance("abc", "abc") == 0);
  CHECK(distance("abc", "") == 3);
  CHECK(distance("", "abcd") == 4);
  CHECK(distance("", "") == 0);
  CHECK(distance("ab", "ba") == 2);  // no transpositions
  CHECK(distance("abcdef", "bcdefa") == 2);
  CHECK(edit_distance(TokenList{"AA", "K"}, TokenList{"A", "AK"}) == 2);  // tokens, not letters
  CHECK(edit_distance(std::vector<int64_t>{1, 2, 3}, std::vector<int64_t>{2, 3, 4}) == 2);
}

TEST_CASE("edit distance is a distance", "[metrics]") {
  std::mt19937_64 random(11);
  const auto word = [&] {
    std::vector<int> out;
    for (uint64_t n = random() % 9; n > 0; --n) out.push_back(static_cast<int>(random() % 3));
    return out;
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const auto a = word(), b = word(), c = word();
    const int64_t ab = edit_distance(a, b);
    REQUIRE(ab == edit_distance(b, a));
    REQUIRE((ab == 0) == (a == b));
    REQUIRE(ab <= edit_distance(a, c) + edit_distance(c, b));
    REQUIRE(ab <= static_cast<int64_t>(std::max(a.size(), b.size())));
    auto longer = a;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(a.size() / 2), 7);
    REQUIRE(edit_distance(a, longer) == 1);
  }
}
