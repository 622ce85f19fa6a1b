#include "models/metrics/bleu.h"

#include <cmath>
#include <limits>

#include "models/text/tokens.h"
#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Counts = std::vector<int64_t>;

namespace {

TokenList t(const std::string& text) { return tokenise(text, Tokens::split); }

const BleuOptions kPlain;
const BleuOptions kEffective{.effective_order = true};
const std::vector<BleuOptions> kSmoothed = {
    {.smoothing = Smoothing::floor, .value = 0.1},
    {.smoothing = Smoothing::add_k, .value = 1},
    {.smoothing = Smoothing::exp},
    {.smoothing = Smoothing::floor, .value = 0.1, .effective_order = true},
    {.smoothing = Smoothing::add_k, .value = 1, .effective_order = true},
    {.smoothing = Smoothing::exp, .effective_order = true},
};

}  // namespace

TEST_CASE("corpus BLEU is not the mean of sentence scores", "[metrics]") {
  const std::vector<TokenList> hypotheses = {t("a b c d e"), t(""), t("a c b")};
  const std::vector<std::vector<TokenList>> references = {
      {t("a b c d e")}, {t("m n")}, {t("a b c")}};
  const Bleu bleu = corpus_bleu(hypotheses, references);
  CHECK(bleu.matches == Counts{8, 4, 3, 2});
  CHECK(bleu.totals == Counts{8, 6, 4, 2});
  CHECK(bleu.length == 8);
  CHECK(bleu.reference_length == 10);
  CHECK(bleu.brevity == Approx(0.7788008).margin(1e-7));
  CHECK(bleu.value == Approx(0.6548908).margin(1e-7));
  double mean = 0;
  for (size_t i = 0; i < 3; ++i) {
    mean += corpus_bleu({hypotheses[i]}, {references[i]}).value / 3;
  }
  CHECK(mean == Approx(1.0 / 3));
}

TEST_CASE("an empty hypothesis has BLEU 0", "[metrics]") {
  CHECK(corpus_bleu({t("")}, {{t("a b c")}}).value == 0);
  CHECK(sentence_bleu(t(""), {t("a b c")}).value == 0);
  CHECK(corpus_bleu({t("")}, {{t("")}}).value == 0);
  CHECK(corpus_bleu({t("")}, {{t("")}}).brevity == 1);
  CHECK(corpus_bleu({t("a b c d")}, {{t("")}}).value == 0);
  for (const BleuOptions& options : kSmoothed) {
    CHECK(corpus_bleu({t("")}, {{t("a b c")}}, options).value == 0);
    CHECK(corpus_bleu({t("")}, {{t("")}}, options).value == 0);
  }
}

TEST_CASE("an exact short match needs the effective order", "[metrics]") {
  CHECK(corpus_bleu({t("u v w")}, {{t("u v w")}}, kPlain).value == 0);
  CHECK(corpus_bleu({t("u v w")}, {{t("u v w")}}, kEffective).value == 1);
  CHECK(sentence_bleu(t("u v w"), {t("u v w")}).value == 1);
  CHECK(sentence_bleu(t("u"), {t("u")}).value == 1);
  CHECK(corpus_bleu({t("u v w x")}, {{t("u v w x")}}).value == 1);
  // The effective order leaves out only orders without n-grams, not those that miss.
  CHECK(sentence_bleu(t("u v w"), {t("u w v")}).value == 0);
}

TEST_CASE("without a common word BLEU is 0 under every smoothing", "[metrics]") {
  for (const BleuOptions& options : kSmoothed) {
    CHECK(corpus_bleu({t("x")}, {{t("y")}}, options).value == 0);
    CHECK(corpus_bleu({t("x x x x x")}, {{t("y y y y y")}}, options).value == 0);
  }
}

TEST_CASE("matches are clipped at the most that one reference has", "[metrics]") {
  // The example of Papineni et al. 2002, section 2.1.1: 2 of 7, not 7 of 7.
  const Bleu bleu =
      corpus_bleu({t("the the the the the the the")},
                  {{t("the cat is on the mat"), t("there is a cat on the mat")}}, {.max_order = 1});
  CHECK(bleu.matches == Counts{2});
  CHECK(bleu.totals == Counts{7});
  CHECK(bleu.value == Approx(2.0 / 7));
  // Counts of two references are not added: the most is one b, though both have one.
  CHECK(corpus_bleu({t("b b")}, {{t("a b"), t("b c")}}, {.max_order = 1}).matches == Counts{1});
}

TEST_CASE("the reference closest in length counts, of two the shorter", "[metrics]") {
  const auto reference_length = [](const std::string& hypothesis, std::vector<TokenList> list) {
    return corpus_bleu({t(hypothesis)}, {list}).reference_length;
  };
  CHECK(reference_length("a b c d", {t("a b c d e"), t("a b c")}) == 3);
  CHECK(reference_length("a b c d", {t("a b c"), t("a b c d e")}) == 3);
  CHECK(reference_length("a b c d", {t("a"), t("a b c d e f")}) == 6);
  CHECK(reference_length("a b c d", {t("a b c d e"), t("w x y z"), t("a")}) == 4);
}

TEST_CASE("only short hypotheses pay the brevity penalty", "[metrics]") {
  const Bleu brief = corpus_bleu({t("a b c")}, {{t("a b c d")}}, {.max_order = 2});
  CHECK(brief.brevity == Approx(0.71653131).margin(1e-8));  // exp(1 - 4/3)
  CHECK(brief.value == Approx(0.71653131).margin(1e-8));
  const Bleu wordy = corpus_bleu({t("a b c d")}, {{t("a b c")}}, {.max_order = 2});
  CHECK(wordy.brevity == 1);
  CHECK(wordy.value == Approx(std::sqrt(3.0 / 4 * 2.0 / 3)));
}

TEST_CASE("smoothing fills orders that miss", "[metrics]") {
  const std::vector<TokenList> hypothesis = {t("a b c d x")};
  const std::vector<std::vector<TokenList>> reference = {{t("a b d c y")}};
  // Matches 4, 1, 0, 0 of 5, 4, 3, 2.
  CHECK(corpus_bleu(hypothesis, reference).value == 0);
  const auto value = [&](Smoothing smoothing, double k) {
    return corpus_bleu(hypothesis, reference, {.smoothing = smoothing, .value = k}).value;
  };
  CHECK(value(Smoothing::floor, 0.5) ==
        Approx(std::pow(4.0 / 5 * 1 / 4 * 0.5 / 3 * 0.5 / 2, 0.25)));
  CHECK(value(Smoothing::add_k, 1) == Approx(std::pow(4.0 / 5 * 2 / 5 * 1 / 4 * 1 / 3, 0.25)));
  CHECK(value(Smoothing::exp, 0) == Approx(std::pow(4.0 / 5 * 1 / 4 * 0.5 / 3 * 0.25 / 2, 0.25)));
}

TEST_CASE("coco smoothing is nearly none, with a trace where an order misses", "[metrics]") {
  const std::vector<TokenList> hypothesis = {t("a b c d x")};
  const std::vector<std::vector<TokenList>> reference = {{t("a b d c y")}};
  const auto value = [&](int64_t order) {
    return corpus_bleu(hypothesis, reference, {.max_order = order, .smoothing = Smoothing::coco})
        .value;
  };
  CHECK(value(1) == Approx(0.8).margin(1e-9));
  CHECK(value(1) < 0.8);
  CHECK(value(3) == Approx(std::cbrt(4.0 / 5 * 1 / 4 * 1e-15 / 3)).epsilon(1e-6));
  CHECK(corpus_bleu({t("")}, {{t("a b")}}, {.smoothing = Smoothing::coco}).value == 0);
}

TEST_CASE("the signature says how a score was made", "[metrics]") {
  const std::vector<std::vector<TokenList>> one = {{t("a")}, {t("a")}},
                                            some = {{t("a"), t("b")}, {t("a")}};
  CHECK(corpus_bleu({t("a"), t("b")}, one).signature ==
        "nrefs:1|case:mixed|eff:no|tok:none|smooth:none");
  CHECK(
      corpus_bleu({t("a"), t("b")}, some, {.effective_order = true, .tokens = "chars"}).signature ==
      "nrefs:1-2|case:mixed|eff:yes|tok:chars|smooth:none");
  CHECK(corpus_bleu({t("a"), t("b")}, one,
                    {.max_order = 2, .smoothing = Smoothing::floor, .value = 0.5})
            .signature == "nrefs:1|case:mixed|eff:no|tok:none|smooth:floor[0.5]|order:2");
  CHECK(corpus_bleu({t("a"), t("b")}, one, {.smoothing = Smoothing::exp}).signature ==
        "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp");
  CHECK(
      corpus_bleu({t("a"), t("b")}, one, {.smoothing = Smoothing::coco, .lower = true}).signature ==
      "nrefs:1|case:lc|eff:no|tok:none|smooth:coco");
}

TEST_CASE("n-grams are told apart by token, not by their joined letters", "[metrics]") {
  CHECK(corpus_bleu({{"a b", "c"}}, {{{"a", "b c"}}}, {.max_order = 2}).matches == Counts{0, 0});
  CHECK(corpus_bleu({{"ab", "c"}}, {{{"a", "bc"}}}, {.max_order = 2}).matches == Counts{0, 0});
}

TEST_CASE("BLEU refuses what it cannot score", "[metrics]") {
  CHECK_THROWS_WITH(corpus_bleu({}, {}), "corpus_bleu: there is no hypothesis");
  CHECK_THROWS_AS(corpus_bleu({t("a")}, {}), Error);
  CHECK_THROWS_AS(corpus_bleu({t("a")}, {{}}), Error);
  CHECK_THROWS_AS(corpus_bleu({t("a")}, {{t("a")}}, {.max_order = 0}), Error);
  for (double value : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                       std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(
        corpus_bleu({t("a")}, {{t("a")}}, {.smoothing = Smoothing::floor, .value = value}), Error);
  }
  CHECK_THROWS_AS(
      corpus_bleu({t("a")}, {{t("a")}}, {.smoothing = Smoothing::coco, .effective_order = true}),
      Error);
  CHECK_THROWS_AS(bleu_from_counts({1, 1}, {1, 1}, 1, 1), Error);
}
