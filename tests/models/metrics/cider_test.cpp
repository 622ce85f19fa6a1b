#include "models/metrics/cider.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/metrics/text_set.h"
#include "models/text/text_file.h"
#include "tests/catch.h"
#include "tests/models/metrics/words.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using tests::word_lists;

namespace {

Cider cider_of(const std::vector<std::string>& hypotheses,
               const std::vector<std::vector<std::string>>& references,
               CiderKind kind = CiderKind::d) {
  std::vector<std::vector<TokenList>> lists;
  for (const auto& list : references) lists.push_back(word_lists(list));
  return cider(word_lists(hypotheses), lists, kind);
}

}  // namespace

TEST_CASE("CIDEr of one image is 0, with a warning", "[metrics]") {
  for (CiderKind kind : {CiderKind::plain, CiderKind::d}) {
    const Cider one = cider_of({"a dog runs fast"}, {{"a dog runs fast", "a dog"}}, kind);
    CHECK(one.value == 0);
    CHECK(!one.warning.empty());
  }
  CHECK(cider_of({"a b", "c d"}, {{"a b"}, {"c d"}}).warning.empty());
}

TEST_CASE("CIDEr worked by hand", "[metrics]") {
  using Values = std::vector<double>;
  const auto per_image = [](const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references,
                            CiderKind kind = CiderKind::d) {
    Values values = cider_of(hypotheses, references, kind).per_image;
    for (double& value : values) value = std::round(value * 1e9) / 1e9;
    return values;
  };
  CHECK(per_image({"a dog runs fast", "two cats sleep here"},
                  {{"a dog runs fast"}, {"two cats sleep here"}}) == Values{10, 10});
  // Orders 3 and 4 do not exist and count 0.
  CHECK(per_image({"dog runs", "two cats sleep here"}, {{"dog runs"}, {"two cats sleep here"}}) ==
        Values{5, 10});
  // "a" is in both images: weight 0. Of "a cat sits here" 2/3 of the other words fit, 1/3 of the
  // pairs.
  CHECK(per_image({"a dog runs fast", "a cat sits here"},
                  {{"a dog runs fast"}, {"a cat naps here"}}) == Values{10, 2.5});
  // Repetition does not pay: min(4, 1)·1 / (4·2) of unigrams, nothing else.
  CHECK(per_image({"dog dog dog dog", "two cats sleep here"},
                  {{"a dog runs fast"}, {"two cats sleep here"}}) == Values{0.3125, 10});
  // Without clipping: 4·1 / (4·2).
  CHECK(per_image({"dog dog dog dog", "two cats sleep here"},
                  {{"a dog runs fast"}, {"two cats sleep here"}},
                  CiderKind::plain) == Values{1.25, 10});
  // The mean over references; an n-gram of both counts for its image once.
  CHECK(per_image({"a b", "x y"}, {{"a b", "p q"}, {"x y"}}) == Values{2.5, 5});
  CHECK(per_image({"", "x y"}, {{"a b"}, {"x y"}}) == Values{0, 5});
}

TEST_CASE("only CIDEr-D pays for a length that differs", "[metrics]") {
  const std::vector<std::vector<std::string>> references = {{"a"}, {"x y z"}};
  const double plain = cider_of({"a", "x y z x y z"}, references, CiderKind::plain).per_image[1];
  const double clipped = cider_of({"a", "x y z x y z"}, references).per_image[1];
  // Plain: unigrams are parallel; the pairs are xy 2, yz 2, zx 1 against xy 1, yz 1, the triples
  // xyz 2, yzx 1, zxy 1 against xyz 1.
  CHECK(plain == Approx(10.0 / 4 * (1 + 4 / (3 * std::sqrt(2)) + 2 / std::sqrt(6))));
  // Clipped: half of each, and 5 pairs against 2.
  CHECK(clipped == Approx(plain / 2 * std::exp(-9.0 / 72)));
}

TEST_CASE("CIDEr equals pycocoevalcap's", "[metrics]") {
  const auto path = tests::data_file("coco-caption-ref/expected.json");
  if (!path) return tests::skip("no coco-caption-ref in GLASS_DATA");
  const auto expected = nlohmann::json::parse(read_text_file(*path));
  for (const std::string name : {"human1000.tsv", "fakecap126.tsv"}) {
    const TextSet set = read_captions(*tests::data_file("coco-caption-ref/" + name));
    CHECK(cider_of(set.hypotheses, set.references).value ==
          Approx(expected[name]["official"]["CIDEr"].get<double>()).margin(1e-13));
  }
}

TEST_CASE("CIDEr equals that of nlg-eval and SummEval", "[metrics]") {
  const auto path = tests::data_file("metric-refs/nlg-eval/expected.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const auto file = [](const std::string& name) {
    return *tests::data_file("metric-refs/" + name);
  };
  const TextSet set = read_parallel(file("nlg-eval/hyp.txt"),
                                    {file("nlg-eval/ref1.txt"), file("nlg-eval/ref2.txt")});
  const auto expected = nlohmann::json::parse(read_text_file(*path));
  CHECK(cider_of(set.hypotheses, set.references).value ==
        Approx(expected["full_precision_by_official_scorer_here"]["CIDEr"].get<double>())
            .margin(1e-13));
  int cases = 0;
  const auto summeval = nlohmann::json::parse(read_text_file(file("rouge.json")));
  for (const auto& [title, block] : summeval.items()) {
    if (!block.is_object() || !block.contains("cands")) continue;
    std::vector<std::vector<std::string>> references;
    for (const auto& line : block["refs"]) references.push_back({line});
    CHECK(cider_of(block["cands"], references).value ==
          Approx(block["CIDEr(split on spaces)"].get<double>()).margin(1e-12));
    ++cases;
  }
  CHECK(cases == 1);
}
