#include "models/metrics/ngrams.h"

#include "tests/catch.h"
#include "tests/models/metrics/words.h"

using namespace glass;
using tests::words;

TEST_CASE("n-grams are counted as often as they occur", "[metrics]") {
  const TokenList tokens = words("a b a b a");
  const NgramCounts pairs = ngram_counts(tokens, 2);
  const TokenList ab = words("a b"), ba = words("b a");
  CHECK(pairs.size() == 2);
  CHECK(pairs.at(ab) == 2);
  CHECK(pairs.at(ba) == 2);
  CHECK(total(pairs) == 4);
  CHECK(total(ngram_counts(tokens, 5)) == 1);
  CHECK(ngram_counts(tokens, 6).empty());
}

TEST_CASE("common n-grams count as often as in the poorer text", "[metrics]") {
  const TokenList a = words("x x x y"), b = words("x x z"), joined = {"x x"}, apart = {"x", "x"};
  CHECK(common(ngram_counts(a, 1), ngram_counts(b, 1)) == 2);
  CHECK(common(ngram_counts(b, 1), ngram_counts(a, 1)) == 2);
  CHECK(common(ngram_counts(a, 2), ngram_counts(b, 2)) == 1);
  CHECK(common(ngram_counts(joined, 1), ngram_counts(apart, 1)) == 0);
}
