#include "models/metrics/error_rate.h"

#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

TokenList letters(const std::string& word) {
  TokenList tokens;
  for (char letter : word) tokens.emplace_back(1, letter);
  return tokens;
}

}  // namespace

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
