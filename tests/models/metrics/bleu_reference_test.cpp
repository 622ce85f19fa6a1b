// BLEU against values that sacreBLEU, pycocoevalcap and TensorFlow's nmt give for the same texts.
#include <nlohmann/json.hpp>

#include "models/metrics/bleu.h"
#include "models/metrics/text_set.h"
#include "models/metrics/tokeniser.h"
#include "models/text/text_file.h"
#include "models/text/tokens.h"
#include "tests/catch.h"
#include "tests/models/metrics/words.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using tests::words;
using Counts = std::vector<int64_t>;
using Json = nlohmann::json;

namespace {

Bleu bleu_of(const TextSet& set, Tokeniser kind, BleuOptions options = {}) {
  std::vector<TokenList> hypotheses;
  std::vector<std::vector<TokenList>> references;
  for (size_t i = 0; i < set.hypotheses.size(); ++i) {
    hypotheses.push_back(tokenise(set.hypotheses[i], kind));
    references.emplace_back();
    for (const std::string& line : set.references[i])
      references.back().push_back(tokenise(line, kind));
  }
  options.tokens = name(kind);
  return corpus_bleu(hypotheses, references, options);
}

Tokeniser tokeniser_named(const std::string& wanted) {
  for (Tokeniser kind : kTokenisers)
    if (name(kind) == wanted) return kind;
  FAIL("no tokeniser " << wanted);
  return Tokeniser::none;
}

Smoothing smoothing_named(const std::string& wanted) {
  for (Smoothing kind : kSmoothings)
    if (name(kind) == wanted) return kind;
  FAIL("no smoothing " << wanted);
  return Smoothing::none;
}

}  // namespace

TEST_CASE("BLEU equals sacreBLEU's tested values", "[metrics]") {
  const auto path = tests::data_file("metric-refs/sacrebleu-small.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const Json json = Json::parse(read_text_file(*path));

  TextSet set{json["hyps"], {}};
  for (size_t i = 0; i < set.hypotheses.size(); ++i) {
    set.references.emplace_back();
    for (const Json& stream : json["ref_streams"]) set.references.back().push_back(stream[i]);
  }
  const Json& corpus = json["corpus_bleu"];
  const BleuOptions exp{.smoothing = Smoothing::exp};
  CHECK(bleu_of(set, Tokeniser::none, exp).value * 100 ==
        Approx(corpus["tokenize=none"].get<double>()).margin(1e-6));
  const Bleu usual = bleu_of(set, Tokeniser::mteval_13a, exp);
  CHECK(usual.value * 100 == Approx(corpus["default(13a,exp)"].get<double>()).margin(1e-6));
  CHECK(usual.signature == "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp");
  CHECK(bleu_of(set, Tokeniser::mteval_13a).value * 100 ==
        Approx(corpus["smooth=none"].get<double>()).margin(1e-6));
  for (const auto& [order, value] : json["max_ngram_order(2 decimals)"].items())
    CHECK(bleu_of(set, Tokeniser::mteval_13a,
                  {.max_order = std::stoi(order), .smoothing = Smoothing::exp})
                  .value *
              100 ==
          Approx(value.get<double>()).margin(0.005));
  for (std::string& line : set.hypotheses) line.clear();
  CHECK(bleu_of(set, Tokeniser::mteval_13a, exp).value == json["all_hyps_empty"].get<double>());

  const BleuOptions floor{.smoothing = Smoothing::floor, .value = 0.01, .effective_order = true};
  int cases = 0;
  for (const auto& [key, rows] : json.items()) {
    if (key.rfind("raw_corpus_bleu", 0) != 0) continue;
    for (const Json& row : rows) {
      TextSet raw{row["hyp"], {}};
      for (const Json& line : row["ref"]) raw.references.push_back({line});
      CHECK(bleu_of(raw, Tokeniser::none, floor).value ==
            Approx(row["bleu"].get<double>()).margin(1e-12));
      ++cases;
    }
  }
  CHECK(cases == 6);

  const Json& one = json["statistics"];
  const std::vector<TokenList> hypothesis = {words(std::string(one["hyp"]))};
  const std::vector<std::vector<TokenList>> reference = {{words(std::string(one["ref"]))}};
  const Bleu bleu =
      corpus_bleu(hypothesis, reference, {.smoothing = Smoothing::floor, .value = 0.1});
  CHECK(bleu.matches == one["counts"].get<Counts>());
  CHECK(bleu.totals == one["totals"].get<Counts>());
  CHECK(bleu.value == Approx(one["bleu_floor_0.1"].get<double>()).margin(1e-9));
  CHECK(corpus_bleu(hypothesis, reference).value == 0);

  const Json& counts = json["from_statistics"];
  CHECK(bleu_from_counts(counts["counts"], counts["totals"], counts["sys_len"],
                         counts["ref_len"]) == Approx(counts["bleu"].get<double>()).margin(1e-9));
}

TEST_CASE("BLEU of a sentence equals sacreBLEU's, by tokens and by smoothing", "[metrics]") {
  const auto path = tests::data_file("metric-refs/sacrebleu-small.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const Json json = Json::parse(read_text_file(*path))["sentence_bleu"];
  int cases = 0;
  for (const Json& row : json["cases [smooth_method, smooth_value, lowercase, tokenize, score]"]) {
    if (row[3] == "intl") continue;  // not offered
    INFO(row);
    const auto tokens = [&](const std::string& line) {
      return tokenise(row[2].get<bool>() ? lower_case(line) : line, tokeniser_named(row[3]));
    };
    const double value = row[1].is_null() ? 0 : row[1].get<double>();
    CHECK(sentence_bleu(
              tokens(json["sys"]), {tokens(json["ref"])},
              {.smoothing = smoothing_named(row[0]), .value = value, .effective_order = true})
                  .value *
              100 ==
          Approx(row[4].get<double>()).margin(1e-3));
    ++cases;
  }
  CHECK(cases == 9);
}

TEST_CASE("BLEU of 3,000 translated sentences equals that of TensorFlow's nmt", "[metrics]") {
  const auto hypotheses = tests::data_file("metric-refs/tf-nmt-de-en/hyp.en.gz");
  const auto references = tests::data_file("metric-refs/tf-nmt-de-en/ref.en.gz");
  if (!hypotheses || !references) return tests::skip("no metric-refs in GLASS_DATA");
  const Bleu bleu = bleu_of(read_parallel(*hypotheses, {*references}), Tokeniser::space);
  CHECK(bleu.matches == Counts{35979, 17474, 9709, 5574});
  CHECK(bleu.totals == Counts{63214, 60214, 57230, 54269});
  CHECK(bleu.length == 63214);
  CHECK(bleu.reference_length == 64807);
  CHECK(bleu.value * 100 == Approx(22.585508457350354).margin(1e-10));
}

TEST_CASE("BLEU with several references equals pycocoevalcap's", "[metrics]") {
  const auto expected_path = tests::data_file("coco-caption-ref/expected.json");
  if (!expected_path) return tests::skip("no coco-caption-ref in GLASS_DATA");
  const Json expected = Json::parse(read_text_file(*expected_path));
  for (const std::string name : {"human1000.tsv", "fakecap126.tsv"}) {
    const auto path = tests::data_file("coco-caption-ref/" + name);
    REQUIRE(path);
    const TextSet set = read_captions(*path);
    const Bleu bleu = bleu_of(set, Tokeniser::none);
    const Json& counts = expected[name]["counts"];
    CHECK(bleu.matches == counts["correct"].get<Counts>());
    CHECK(bleu.totals == counts["guess"].get<Counts>());
    CHECK(bleu.length == counts["testlen"].get<int64_t>());
    CHECK(bleu.reference_length == counts["reflen"].get<int64_t>());
    for (int64_t order = 1; order <= 4; ++order) {
      CHECK(
          bleu_of(set, Tokeniser::none, {.max_order = order, .smoothing = Smoothing::coco}).value ==
          Approx(expected[name]["official"]["Bleu_" + std::to_string(order)].get<double>())
              .margin(1e-14));
    }
  }
}

TEST_CASE("BLEU equals nlg-eval's, to the traces it leaves", "[metrics]") {
  const auto path = tests::data_file("metric-refs/nlg-eval/expected.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const Json expected = Json::parse(read_text_file(*path));
  const TextSet set = read_parallel(*tests::data_file("metric-refs/nlg-eval/hyp.txt"),
                                    {*tests::data_file("metric-refs/nlg-eval/ref1.txt"),
                                     *tests::data_file("metric-refs/nlg-eval/ref2.txt")});
  const TextSet good{{"this is a good test"}, {{"this is a test", "this is also a test"}}};
  const TextSet french{{"Le test est en français."},
                       {{"Test en français.", "Le test en français."}}};
  const Json& official = expected["full_precision_by_official_scorer_here"];
  int checked = 0;
  for (int64_t order = 1; order <= 4; ++order) {
    const BleuOptions coco{.max_order = order, .smoothing = Smoothing::coco};
    const std::string key = "Bleu_" + std::to_string(order);
    CHECK(bleu_of(set, Tokeniser::none, coco).value ==
          Approx(official[key].get<double>()).margin(1e-14));
    for (const auto& [title, values] : expected.items()) {
      if (!title.starts_with("single")) continue;
      const bool first = title.find("good") != std::string::npos;
      CHECK(bleu_of(first ? good : french, Tokeniser::none, coco).value ==
            Approx(values[key].get<double>()).margin(order < 4 || !first ? 1e-6 : 1e-10));
      ++checked;
    }
  }
  CHECK(checked == 8);
  CHECK(bleu_of(set, Tokeniser::none).matches == Counts{11, 6, 2, 1});
  CHECK(bleu_of(set, Tokeniser::none).reference_length == 16);
}
