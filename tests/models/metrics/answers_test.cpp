#include "models/metrics/answers.h"

#include "tests/catch.h"
#include "tests/models/metrics/words.h"

using namespace glass;
using tests::words;

TEST_CASE("answers by character: blanks count, but not in BLEU", "[metrics]") {
  const auto cut = [](const std::string& line) { return tokenise(line, Tokens::chars); };
  const AnswerScores scores =
      answer_scores({cut("ab cd"), cut("x")}, {{cut("abcd")}, {cut("x")}}, Tokens::chars);
  CHECK(scores.exact_match == 0.5);
  CHECK(scores.symbol_error_rate == Approx(0.2));  // one of 4 + 1
  CHECK(scores.bleu.value == 1);
  CHECK(scores.bleu.signature == "nrefs:1|case:mixed|eff:no|tok:char|smooth:none");
}

TEST_CASE("answers by phone or word keep their tokens", "[metrics]") {
  const auto signature = [](Tokens kind) {
    return answer_scores({words("a b")}, {{words("a b"), words("c")}}, kind).bleu.signature;
  };
  CHECK(signature(Tokens::split) == "nrefs:2|case:mixed|eff:no|tok:none|smooth:none");
  CHECK(signature(Tokens::words) == "nrefs:2|case:mixed|eff:no|tok:words|smooth:none");
}
