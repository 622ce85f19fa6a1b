#include "models/metrics/edit_distance.h"

#include <random>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

TokenList letters(const std::string& word) {
  TokenList tokens;
  for (char letter : word) tokens.emplace_back(1, letter);
  return tokens;
}

int64_t distance(const std::string& a, const std::string& b) {
  return edit_distance(letters(a), letters(b));
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

TEST_CASE("symbol error rate sums edits and lengths over the corpus", "[metrics]") {
  const SymbolErrors errors = symbol_errors({letters("abcd"), letters("x"), letters("")},
                                            {{letters("abed")}, {letters("x")}, {letters("abc")}});
  CHECK(errors.edits == 4);     // 1 + 0 + 3
  CHECK(errors.symbols == 8);   // 4 + 1 + 3
  CHECK(errors.rate() == 0.5);  // the mean of the rates would be (1/4 + 0 + 1) / 3
}

TEST_CASE("the nearest reference counts, of equally near ones the longest", "[metrics]") {
  const auto errors = [](const std::string& hypothesis, const std::vector<std::string>& words) {
    std::vector<TokenList> list;
    for (const std::string& word : words) list.push_back(letters(word));
    const SymbolErrors found = symbol_errors({letters(hypothesis)}, {list});
    return std::pair(found.edits, found.symbols);
  };
  CHECK(errors("abc", {"xyzw", "abcdef", "abd"}) == std::pair<int64_t, int64_t>(1, 3));
  CHECK(errors("abc", {"abd", "abcd"}) == std::pair<int64_t, int64_t>(1, 4));
  CHECK(errors("abc", {"abcd", "ab", "abd"}) == std::pair<int64_t, int64_t>(1, 4));
  CHECK(errors("abc", {"", "abc"}) == std::pair<int64_t, int64_t>(0, 3));
  CHECK(errors("", {"", "a"}) == std::pair<int64_t, int64_t>(0, 0));
}

TEST_CASE("empty references give a finite rate", "[metrics]") {
  CHECK(symbol_errors({{}}, {{{}}}).rate() == 0);
  CHECK(symbol_errors({letters("ab")}, {{TokenList{}}}).rate() == 2);
}

TEST_CASE("more insertions than symbols give a rate above one", "[metrics]") {
  CHECK(symbol_errors({letters("aaaa")}, {{letters("a")}}).rate() == 3);
}

TEST_CASE("exact match is against any reference", "[metrics]") {
  const std::vector<TokenList> hypotheses = {{"a", "b"}, {"ab"}, {}, {"c"}};
  CHECK(exact_match(hypotheses, {{{"x"}, {"a", "b"}}, {{"a", "b"}}, {TokenList{}}, {{"C"}}}) ==
        0.5);
  CHECK(exact_match({{"a"}}, {{{"a"}}}) == 1);
  CHECK(exact_match({{"a"}}, {{{"b"}}}) == 0);
}

TEST_CASE("metrics refuse what they cannot compare", "[metrics]") {
  CHECK_THROWS_WITH(symbol_errors({}, {}), "symbol_errors: there is no hypothesis");
  CHECK_THROWS_WITH(exact_match({}, {}), "exact_match: there is no hypothesis");
  CHECK_THROWS_WITH(symbol_errors({{"a"}}, {}), ContainsSubstring("1 and 0"));
  CHECK_THROWS_WITH(exact_match({{"a"}, {"b"}}, {{{"a"}}, {}}),
                    "exact_match: hypothesis has no reference: number 1");
}
