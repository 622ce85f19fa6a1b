#include "models/metrics/rouge.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "models/metrics/text_set.h"
#include "models/metrics/tokeniser.h"
#include "models/text/text_file.h"
#include "tests/catch.h"
#include "tests/models/metrics/words.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using tests::word_lists;
using tests::words;

namespace {

std::vector<TokenList> rouge_sentences(const std::string& text) {
  std::vector<TokenList> sentences;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    sentences.push_back(tokenise(line, Tokeniser::rouge_1_5_5));
  return sentences;
}

// What a name in rouge.json stands for: "rouge2", "rougeL", "rougeLsum(...)".
Rouge rouge_named(const std::string& name, const std::string& hypothesis,
                  const std::string& reference) {
  if (name.starts_with("rougeLsum"))
    return rouge_l_of_summary(rouge_sentences(hypothesis), rouge_sentences(reference));
  const TokenList h = tokenise(hypothesis, Tokeniser::rouge_1_5_5),
                  r = tokenise(reference, Tokeniser::rouge_1_5_5);
  if (name == "rougeL") return rouge_l(h, {r});
  return rouge_n(h, {r}, static_cast<size_t>(name.at(5) - '0'));
}

Rouge corpus_of(const TextSet& set, Tokeniser kind, const SentenceRouge& one) {
  std::vector<TokenList> hypotheses;
  std::vector<std::vector<TokenList>> references;
  for (size_t i = 0; i < set.hypotheses.size(); ++i) {
    hypotheses.push_back(tokenise(set.hypotheses[i], kind));
    references.emplace_back();
    for (const std::string& line : set.references[i])
      references.back().push_back(tokenise(line, kind));
  }
  return corpus_rouge(hypotheses, references, one);
}

}  // namespace

TEST_CASE("ROUGE worked by hand", "[metrics]") {
  const TokenList hypothesis = words("the cat sat on the mat");
  const std::vector<TokenList> reference = word_lists({"the cat on the mat"});
  const Rouge one = rouge_n(hypothesis, reference, 1);
  CHECK(one.precision == Approx(5.0 / 6));
  CHECK(one.recall == 1);
  CHECK(one.f == Approx(10.0 / 11));
  const Rouge two = rouge_n(hypothesis, reference, 2);  // the cat, on the, the mat
  CHECK(two.precision == Approx(3.0 / 5));
  CHECK(two.recall == Approx(3.0 / 4));
  CHECK(two.f == Approx(2.0 / 3));
  CHECK(rouge_l(hypothesis, reference).f == Approx(10.0 / 11));
  CHECK(rouge_l(words("mat the"), reference).recall == Approx(1.0 / 5));  // in order
  CHECK(rouge_n(words("the the the"), word_lists({"the cat"}), 1).precision == Approx(1.0 / 3));
}

TEST_CASE("the three families of ROUGE-L differ as they are defined", "[metrics]") {
  const TokenList hypothesis = words("a b c d");
  const std::vector<TokenList> references = word_lists({"a b", "a b c x y z"});
  // P and R are 1/2 and 1 with the first, 3/4 and 1/2 with the second.
  CHECK(rouge_l(hypothesis, references).f == Approx(2.0 / 3));
  const Rouge caption = caption_rouge_l(hypothesis, references);
  CHECK(caption.precision == 0.75);
  CHECK(caption.recall == 1);
  CHECK(caption.f == Approx(2.44 * 0.75 / (1 + 1.44 * 0.75)));
  CHECK(nmt_rouge_l(hypothesis, {references[0]}).f == Approx(1.25 * 0.5 / (1 + 0.25 * 0.5)));
  CHECK(nmt_rouge_l(hypothesis, references).f ==
        Approx((1 + 2.25) * 0.375 / (0.5 + 2.25 * 0.75)));  // the second, with beta 3/2
}

TEST_CASE("ROUGE of empty and strange texts is 0", "[metrics]") {
  for (const auto& [hypothesis, reference] :
       {std::pair("", "a b"), std::pair("a b", ""), std::pair("", ""), std::pair("x", "y")}) {
    const std::vector<TokenList> references = {words(reference)};
    for (const Rouge& rouge :
         {rouge_n(words(hypothesis), references, 1), rouge_n(words(hypothesis), references, 2),
          rouge_l(words(hypothesis), references), caption_rouge_l(words(hypothesis), references),
          nmt_rouge_l(words(hypothesis), references),
          rouge_l_of_summary({words(hypothesis)}, references)}) {
      CHECK(rouge.precision == 0);
      CHECK(rouge.recall == 0);
      CHECK(rouge.f == 0);
    }
  }
  CHECK_THROWS_AS(rouge_l({}, {}), Error);
  CHECK_THROWS_AS(caption_rouge_l({}, {}), Error);
  CHECK_THROWS_AS(rouge_n({}, {{}}, 0), Error);
  CHECK_THROWS_AS(corpus_rouge({}, {}, rouge_l), Error);
}

TEST_CASE("corpus ROUGE is the mean over sentences", "[metrics]") {
  const Rouge mean =
      corpus_rouge(word_lists({"a b", "c"}), {word_lists({"a b"}), word_lists({"d"})}, rouge_l);
  CHECK(mean.f == 0.5);
  CHECK(mean.recall == 0.5);
}

TEST_CASE("ROUGE equals ROUGE-1.5.5", "[metrics]") {
  const auto path = tests::data_file("metric-refs/rouge.json");
  if (!path) return tests::skip("no metric-refs in GLASS_DATA");
  int cases = 0;
  const auto check = [&](const nlohmann::json& row) {
    for (const auto& [name, right] : row.items()) {
      if (!name.starts_with("rouge")) continue;
      INFO(row["prediction"] << " " << name);
      const Rouge rouge = rouge_named(name, row["prediction"], row["target"]);
      CHECK(rouge.precision == Approx(right["p"].get<double>()).margin(5.1e-6));
      CHECK(rouge.recall == Approx(right["r"].get<double>()).margin(5.1e-6));
      CHECK(rouge.f ==
            Approx(right["f"].get<double>()).margin(right["f"] == 0.5333 ? 5e-5 : 5.1e-6));
      ++cases;
    }
  };
  const auto json = nlohmann::json::parse(read_text_file(*path));
  for (const auto& [title, block] : json.items()) {
    if (block.is_array())
      for (const auto& row : block) check(row);
    if (block.is_object() && block.contains("prediction")) check(block);
    if (block.is_object() && block.contains("cands")) {
      for (const auto& [key, value] : block.items()) {
        if (!key.starts_with("rouge")) continue;
        double sum = 0;
        for (size_t i = 0; i < 3; ++i)
          sum += rouge_named(key.substr(0, 6), block["cands"][i], block["refs"][i]).f;
        CHECK(sum / 3 == Approx(value.get<double>()).margin(1e-12));
        ++cases;
      }
    }
  }
  CHECK(cases == 21);
}

TEST_CASE("ROUGE-L of captions equals pycocoevalcap's", "[metrics]") {
  const auto path = tests::data_file("coco-caption-ref/expected.json");
  if (!path) return tests::skip("no coco-caption-ref in GLASS_DATA");
  const auto expected = nlohmann::json::parse(read_text_file(*path));
  for (const std::string name : {"human1000.tsv", "fakecap126.tsv"})
    CHECK(corpus_of(read_captions(*tests::data_file("coco-caption-ref/" + name)), Tokeniser::none,
                    caption_rouge_l)
              .f == Approx(expected[name]["official"]["ROUGE_L"].get<double>()).margin(1e-14));
}

TEST_CASE("ROUGE-L equals that of nlg-eval and of TensorFlow's nmt", "[metrics]") {
  const auto hypotheses = tests::data_file("metric-refs/tf-nmt-de-en/hyp.en.gz");
  if (!hypotheses) return tests::skip("no metric-refs in GLASS_DATA");
  const auto file = [](const std::string& name) {
    return *tests::data_file("metric-refs/" + name);
  };
  CHECK(corpus_of(read_parallel(*hypotheses, {file("tf-nmt-de-en/ref.en.gz")}), Tokeniser::space,
                  nmt_rouge_l)
                .f *
            100 ==
        Approx(50.84297825996165).margin(1e-12));
  const auto expected = nlohmann::json::parse(read_text_file(file("nlg-eval/expected.json")));
  CHECK(corpus_of(read_parallel(file("nlg-eval/hyp.txt"),
                                {file("nlg-eval/ref1.txt"), file("nlg-eval/ref2.txt")}),
                  Tokeniser::none, caption_rouge_l)
            .f ==
        Approx(expected["full_precision_by_official_scorer_here"]["ROUGE_L"].get<double>())
            .margin(1e-14));
  CHECK(caption_rouge_l(words("this is a good test"),
                        word_lists({"this is a test", "this is also a test"}))
            .f == Approx(0.9070631).margin(1e-7));
}
