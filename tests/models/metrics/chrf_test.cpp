#include "models/metrics/chrf.h"

#include <nlohmann/json.hpp>

#include "models/text/text_file.h"
#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;

TEST_CASE("chrF worked by hand", "[metrics]") {
  const auto value = [](std::vector<std::string> hypotheses, std::vector<std::string> references,
                        ChrfOptions options = {}) {
    std::vector<std::vector<std::string>> lists;
    for (const std::string& reference : references) lists.push_back({reference});
    return corpus_chrf(hypotheses, lists, options).value;
  };
  CHECK(value({"a"}, {"a"}) == 1);  // orders beyond the text are left out
  CHECK(value({"a b c"}, {"abc"}) == 1);
  CHECK(value({""}, {"reference"}) == 0);
  CHECK(value({"abc"}, {""}) == 0);
  CHECK(value({""}, {""}) == 0);
  CHECK(value({"aa"}, {"ab"}) == Approx(0.25));                           // (1/2 + 0/1) / 2
  CHECK(value({"a", "b"}, {"a", "c"}) == Approx(0.5));                    // summed over the corpus
  CHECK(value({"ab"}, {"abcd"}) == Approx(5 * 0.41666667 / 4.41666667));  // P 1, R (2/4 + 1/3) / 2
  CHECK(value({"ab"}, {"abcd"}, {.beta = 1}) == Approx(2 * 0.41666667 / 1.41666667));
  CHECK(value({"é"}, {"é"}) == 1);
  CHECK(value({"é"}, {"è"}) == 0);  // characters, not bytes
}

TEST_CASE("chrF++ counts words and their marks too", "[metrics]") {
  const auto value = [](const std::string& hypothesis, const std::string& reference,
                        ChrfOptions options) {
    return corpus_chrf({hypothesis}, {{reference}}, options).value;
  };
  CHECK(value("ab c", "abc", {}) == 1);
  CHECK(value("ab c", "abc", {.word_order = 2}) == Approx(0.75));  // of words none of 2, none of 1
  const ChrfOptions words{.char_order = 0, .word_order = 1};
  CHECK(value("hi)", "hi", words) == Approx(2.5 / 3));  // hi and ): P 1/2, R 1
  CHECK(value("(hi", "hi", words) == Approx(2.5 / 3));
  CHECK(value("(hi)", "hi", words) == 0);  // (hi and )
  CHECK(value("don't", "don t", words) == 0);
}

TEST_CASE("of several references the best of each sentence counts in chrF", "[metrics]") {
  const Chrf chrf = corpus_chrf({"ab", "xy"}, {{"cd", "ab"}, {"xy", "zz"}});
  CHECK(chrf.value == 1);
  CHECK(chrf.signature == "nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no");
  CHECK(corpus_chrf({"a"}, {{"a"}}, {.word_order = 2, .beta = 3, .lower = true}).signature ==
        "nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|beta:3");
}

TEST_CASE("chrF refuses what it cannot score", "[metrics]") {
  CHECK_THROWS_WITH(corpus_chrf({}, {}), "corpus_chrf: there is no hypothesis");
  CHECK_THROWS_AS(corpus_chrf({"a"}, {{"a"}}, {.char_order = 0}), Error);
  CHECK_THROWS_AS(corpus_chrf({"a"}, {{"a"}}, {.word_order = -1}), Error);
  CHECK_THROWS_AS(corpus_chrf({"a"}, {{"a"}}, {.beta = 0}), Error);
}

TEST_CASE("chrF equals sacreBLEU's tested values", "[metrics]") {
  const auto path = tests::data_file("metric-refs/sacrebleu-small.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const auto rows = nlohmann::json::parse(read_text_file(*path))["sentence_chrF2"];
  CHECK(rows.size() == 3);
  for (const auto& row : rows)
    CHECK(corpus_chrf({row[0]}, {{row[1]}}).value * 100 ==
          Approx(row[2].get<double>()).margin(1e-8));
}
