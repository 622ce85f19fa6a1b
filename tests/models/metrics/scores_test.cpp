#include "models/metrics/scores.h"

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;

namespace {

double value_of(const std::string& metric, const TextSet& set, const ScoreOptions& options = {}) {
  const std::vector<Measure> measures = score(metric, set, options);
  REQUIRE(measures.size() == 1);
  return measures[0].value;
}

const TextSet kText{{"The cat, sat.", "a dog runs fast"},
                    {{"the cat sat .", "A cat sat."}, {"a dog runs fast", "x"}}};

}  // namespace

TEST_CASE("every named metric scores equal texts as right", "[metrics]") {
  const TextSet same{{"one two three four five", "six seven eight nine ten"},
                     {{"one two three four five"}, {"six seven eight nine ten"}}};
  const TextSet links{{"0-0 1-1"}, {{"0-0 1-1"}}};
  for (const MetricInfo& info : all_metrics()) {
    INFO(info.name);
    const bool error = info.name == "wer" || info.name == "cer" || info.name == "aer";
    const double right = error ? 0 : info.name.starts_with("cider") ? 10 : 1;
    for (const Measure& measure : score(info.name, info.text ? same : links)) {
      CHECK(measure.value == Approx(right));
      CHECK(measure.signature.starts_with("nrefs:1"));
      CHECK(measure.warning.empty());
    }
  }
  CHECK_THROWS_WITH(score("belu", same), "score: there is no metric of this name: belu");
}

TEST_CASE("named metrics follow their options", "[metrics]") {
  CHECK(value_of("exact", kText) == 0.5);
  CHECK(value_of("wer", kText) == Approx(2.0 / 7));  // 2 of 3 from "A cat sat.", 0 of 4
  CHECK(score("rouge", kText).size() == 3);
  CHECK(score("rouge", kText)[0].name == "rouge-1");
  CHECK(score("rouge", kText)[2].value == 1);  // without case and punctuation
  CHECK(score("bleu", kText)[0].signature == "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp");
  ScoreOptions options{.tokens = Tokeniser::characters, .lower = true};
  options.bleu.smoothing = Smoothing::none;
  CHECK(score("bleu", kText, options)[0].signature ==
        "nrefs:2|case:lc|eff:no|tok:char|smooth:none");
  CHECK(score("wer", kText, options)[0].signature == "nrefs:2|case:lc|tok:char");
  CHECK(score("chrf", kText, options)[0].signature == "nrefs:2|case:lc|eff:yes|nc:6|nw:0|space:no");
}

TEST_CASE("character errors count code points, blanks among them", "[metrics]") {
  const std::vector<Measure> m = score("cer", {{"né e "}, {{"née"}}});
  CHECK(m[0].value == Approx(1.0 / 3));
  CHECK(m[0].parts[0] == std::pair<std::string, double>("edits", 1));
  CHECK(value_of("cer", {{"A"}, {{"a"}}}, {.lower = true}) == 0);
}

TEST_CASE("CIDEr of one image warns by name too", "[metrics]") {
  const Measure m = score("cider", {{"a"}, {{"a"}}})[0];
  CHECK(m.value == 0);
  CHECK(!m.warning.empty());
}

TEST_CASE("an alignment error names its line", "[metrics]") {
  CHECK_THROWS_WITH(score("aer", {{"0-0", "0:0"}, {{"0-0"}, {"0-0"}}}),
                    Catch::Matchers::ContainsSubstring("line 2: got 0:0"));
  CHECK_THROWS_AS(score("aer", {{"0-0"}, {{"0-0", "1-1"}}}), Error);
}
