// BLEU against values that sacreBLEU, pycocoevalcap and TensorFlow's nmt give for the same texts.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/metrics/bleu.h"
#include "models/text/text_file.h"
#include "models/text/tokens.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using Counts = std::vector<int64_t>;
using Json = nlohmann::json;

namespace {

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, mark);) parts.push_back(part);
  return parts;
}

// These files separate tokens by single spaces and hold other white space inside tokens.
TokenList spaced(const std::string& text) {
  TokenList tokens = split_at(text, ' ');
  std::erase(tokens, "");
  return tokens;
}

std::vector<TokenList> spaced_lines(const std::string& path) {
  std::vector<TokenList> lines;
  for (const std::string& line : split_at(read_text_file(path), '\n'))
    lines.push_back(spaced(line));
  return lines;
}

}  // namespace

TEST_CASE("BLEU equals sacreBLEU's tested values", "[metrics]") {
  const auto path = tests::data_file("metric-refs/sacrebleu-small.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const Json json = Json::parse(read_text_file(*path));

  std::vector<TokenList> hypotheses;
  std::vector<std::vector<TokenList>> references;
  for (size_t i = 0; i < json["hyps"].size(); ++i) {
    hypotheses.push_back(spaced(json["hyps"][i]));
    references.emplace_back();
    for (const Json& stream : json["ref_streams"]) references.back().push_back(spaced(stream[i]));
  }
  CHECK(corpus_bleu(hypotheses, references, {.smoothing = Smoothing::exp}).value * 100 ==
        Approx(json["corpus_bleu"]["tokenize=none"].get<double>()).margin(1e-6));

  const BleuOptions floor{.smoothing = Smoothing::floor, .value = 0.01, .effective_order = true};
  int cases = 0;
  for (const auto& [key, rows] : json.items()) {
    if (key.rfind("raw_corpus_bleu", 0) != 0) continue;
    for (const Json& row : rows) {
      std::vector<TokenList> some;
      std::vector<std::vector<TokenList>> right;
      for (const Json& line : row["hyp"]) some.push_back(spaced(line));
      for (const Json& line : row["ref"]) right.push_back({spaced(line)});
      CHECK(corpus_bleu(some, right, floor).value ==
            Approx(row["bleu"].get<double>()).margin(1e-12));
      ++cases;
    }
  }
  CHECK(cases == 6);

  const Json& one = json["statistics"];
  const std::vector<TokenList> hypothesis = {spaced(one["hyp"])};
  const std::vector<std::vector<TokenList>> reference = {{spaced(one["ref"])}};
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

TEST_CASE("BLEU of a sentence equals sacreBLEU's, by word and by character", "[metrics]") {
  const auto path = tests::data_file("metric-refs/sacrebleu-small.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const Json json = Json::parse(read_text_file(*path))["sentence_bleu"];
  int cases = 0;
  for (const Json& row : json["cases [smooth_method, smooth_value, lowercase, tokenize, score]"]) {
    const std::string kind = row[3];
    if (kind != "none" && kind != "char") continue;
    const auto tokens = [&](std::string text) {
      if (row[2].get<bool>()) text = lower_case(text);
      return kind == "none" ? spaced(text) : without_blanks(tokenise(text, Tokens::chars));
    };
    REQUIRE(row[0] == "exp");
    CHECK(sentence_bleu(tokens(json["sys"]), {tokens(json["ref"])},
                        {.smoothing = Smoothing::exp, .effective_order = true})
                  .value *
              100 ==
          Approx(row[4].get<double>()).margin(1e-3));
    ++cases;
  }
  CHECK(cases == 3);
}

TEST_CASE("BLEU of 3,000 translated sentences equals that of TensorFlow's nmt", "[metrics]") {
  const auto hypothesis_path = tests::data_file("metric-refs/tf-nmt-de-en/hyp.en.gz");
  const auto reference_path = tests::data_file("metric-refs/tf-nmt-de-en/ref.en.gz");
  if (!hypothesis_path || !reference_path) return tests::skip("no metric-refs in GLASS_DATA");
  std::vector<std::vector<TokenList>> references;
  for (TokenList& line : spaced_lines(*reference_path)) references.push_back({std::move(line)});
  std::vector<TokenList> hypotheses = spaced_lines(*hypothesis_path);
  // There an empty line is one empty token (Python's "".split(" ")); three hypotheses are empty.
  for (TokenList& hypothesis : hypotheses) {
    if (hypothesis.empty()) hypothesis = {""};
  }
  const Bleu bleu = corpus_bleu(hypotheses, references);
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
    std::vector<TokenList> hypotheses;
    std::vector<std::vector<TokenList>> references;
    for (const std::string& line : split_at(read_text_file(*path), '\n')) {
      const std::vector<std::string> columns = split_at(line, '\t');
      hypotheses.push_back(spaced(columns.at(1)));
      references.emplace_back();
      for (size_t i = 2; i < columns.size(); ++i) references.back().push_back(spaced(columns[i]));
    }
    const Bleu bleu = corpus_bleu(hypotheses, references);
    const Json& counts = expected[name]["counts"];
    CHECK(bleu.matches == counts["correct"].get<Counts>());
    CHECK(bleu.totals == counts["guess"].get<Counts>());
    CHECK(bleu.length == counts["testlen"].get<int64_t>());
    CHECK(bleu.reference_length == counts["reflen"].get<int64_t>());
    for (int64_t order = 1; order <= 4; ++order) {
      CHECK(corpus_bleu(hypotheses, references, {.max_order = order}).value ==
            Approx(expected[name]["official"]["Bleu_" + std::to_string(order)].get<double>())
                .margin(1e-9));
    }
  }
}

TEST_CASE("BLEU of nlg-eval's two sentences", "[metrics]") {
  const auto path = tests::data_file("metric-refs/nlg-eval/hyp.txt");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  const auto first = spaced_lines(*tests::data_file("metric-refs/nlg-eval/ref1.txt"));
  const auto second = spaced_lines(*tests::data_file("metric-refs/nlg-eval/ref2.txt"));
  const std::vector<double> expected = {0.55, 0.428174, 0.284043, 0.201143};
  for (int64_t order = 1; order <= 4; ++order) {
    const Bleu bleu = corpus_bleu(
        spaced_lines(*path), {{first[0], second[0]}, {first[1], second[1]}}, {.max_order = order});
    CHECK(bleu.value == Approx(expected[static_cast<size_t>(order - 1)]).margin(1e-6));
    CHECK(bleu.reference_length == 16);
  }
}
