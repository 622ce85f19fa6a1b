#include "models/trust/lens.h"

#include <cmath>

#include "autograd/autograd.h"
#include "models/trust/verdict.h"
#include "nn/attention/attention.h"
#include "nn/attention/recorder.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// Places [key, value]. The answer "yes" has the logit Σ weights·values, "no" has 0.
struct Reader : Module {
  explicit Reader(const AttentionNormalizer& normalizer = SoftmaxNormalizer{})
      : attention({.query_dim = 1,
                   .key_dim = 1,
                   .value_dim = 1,
                   .score = DotScore{},
                   .normalizer = normalizer},
                  generator) {
    eval();
  }
  void visit(Visitor& v) override { v("attention", attention); }

  // keys: other ones than those of the input.
  Var operator()(const Var& x, const Var& keys = {}) const {
    const int64_t n = x.size(0);
    const Var key = keys.defined() ? expand(keys, {n, x.size(1), 1}) : narrow(x, 2, 0, 1);
    const Var query(Tensor::ones({n, 1, 1}, kFloat64));
    const Var seen = attention(query, attention.prepare(key, {}, narrow(x, 2, 1, 1))).output;
    return cat({seen, seen * 0.0}, 2);
  }

  Generator generator;
  Attention attention;
};

TrustQuestion ask(Reader& model, const std::vector<double>& places,
                  const std::function<Var(const Var&)>& logits) {
  TrustQuestion q;
  const auto S = static_cast<int64_t>(places.size() / 2);
  for (int64_t s = 0; s < S; ++s) q.source.push_back(std::string(1, static_cast<char>('a' + s)));
  q.answer = {"yes"};
  q.ids = {0};
  q.input = Tensor::from(places, {1, S, 2});
  q.logits = logits;
  q.model = &model;
  q.layer = "attention";
  AttentionRecorder recorder(model);
  logits(Var(q.input));
  q.weights = {recorder.weights("attention").to_vector<double>()};
  return q;
}

double log_sigmoid(double x) { return -std::log1p(std::exp(-x)); }

}  // namespace

TEST_CASE("weights are the effect where the answer is the attended value alone", "[trust]") {
  Reader model(HardNormalizer{});
  const TrustReport y = examine(ask(model, {1, 5, 9, 2, 5, 3, 3, 4}, std::cref(model)));
  const TokenTrust& token = y.tokens.at(0);
  CHECK(token.weights == std::vector<double>{0, 1, 0, 0});
  CHECK(token.log_probability == Approx(log_sigmoid(2)));
  // Without the second place the third, of value 3, is read.
  CHECK(token.erasure[1] == Approx(log_sigmoid(2) - log_sigmoid(3)));
  for (size_t s : {0, 2, 3}) CHECK(token.erasure[s] == 0);
  CHECK(*token.rho_erasure == Approx(1));
  CHECK(*token.rho_gradient == Approx(1));
  CHECK(*token.rho_input_gradient == Approx(1));
  CHECK(verdict(token) == TrustVerdict::agree);
}

TEST_CASE("soft weights of equal values are the order of their effects", "[trust]") {
  Reader model;
  const Var keys(Tensor::from({0.5, -1.0, 2.0, 1.0, 0.0}, {1, 5, 1}));
  const TrustReport y = examine(
      ask(model, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, [&](const Var& x) { return model(x, keys); }),
      {.erasure = Erasure::blank});
  const TokenTrust& token = y.tokens.at(0);
  CHECK(*token.rho_erasure == Approx(1));
  CHECK(*token.rho_gradient == Approx(1));
  for (size_t s = 0; s < 5; ++s) {  // logit 1, and without place s its weight less
    CHECK(token.erasure[s] == Approx(log_sigmoid(1) - log_sigmoid(1 - token.weights[s])));
    CHECK(token.input_gradient[s] == Approx(token.weights[s]));
  }
}

TEST_CASE("weights that look elsewhere are found out", "[trust]") {
  Reader model;
  // It looks at "a" most of all, and answers by the value of "c" alone.
  const TrustQuestion q = ask(model, {3, 1, 2, 1, 0, 4, 1, 1}, [&](const Var& x) {
    const Var ignored = model(x) * 0.0;
    const Var seen = amax(narrow(x, 2, 1, 1), {1}, true);
    return cat({seen, seen * 0.0}, 2) + ignored;
  });
  const TokenTrust token = examine(q).tokens.at(0);
  CHECK(largest(token.weights) == 0);
  CHECK(token.gradient == std::vector<double>{0, 0, 1, 0});
  CHECK(token.input_gradient == std::vector<double>{0, 0, 4, 0});
  CHECK(token.erasure[2] == Approx(log_sigmoid(4) - log_sigmoid(1)));
  // Ranks 4, 3, 1, 2 and 2, 2, 4, 2: Σxy = -3, Σxx = 5, Σyy = 3.
  CHECK(*token.rho_erasure == Approx(-3 / std::sqrt(15.0)));
  CHECK(verdict(token) == TrustVerdict::disagree);
  CHECK_THAT(
      sentence(token, q.source),
      ContainsSubstring("weights here do not agree with effect (ρ -0.77): most weight (0.64) "
                        "is on \"a\", but without \"c\" log p falls by 0.30"));
  // And nothing of the weights matters.
  CHECK(*token.shuffled_distance == 0);
  CHECK(*token.shuffled_changed == 0);
  CHECK_THAT(sentence(token, q.source), ContainsSubstring("shuffled weights never change it"));
}

TEST_CASE("of equal effects the place with most weight counts, and equal words get their place",
          "[trust]") {
  TokenTrust token;
  token.token = "9";
  token.weights = {0.1, 0.2, 0.7};
  token.erasure = {0.1, 5, 5};  // 1998 without either 9 is 198
  token.rho_erasure = 0.2;
  CHECK(verdict(token) == TrustVerdict::agree);
  CHECK(sentence(token, {"1", "9", "9"}) ==
        "\"9\": weights here agree with effect (ρ 0.20): most of both is on \"9\" (place 3) "
        "(weight 0.70), without \"9\" (place 3) log p falls by 5.00");
  token.erasure = {0.1, 5, 4};
  CHECK(verdict(token) == TrustVerdict::disagree);
  CHECK_THAT(sentence(token, {"1", "9", "9"}),
             ContainsSubstring("is on \"9\" (place 3), but without \"9\" (place 2) log p falls"));
  token.weights = {0.34, 0.33, 0.33};
  token.erasure = {5, 0, 0};
  CHECK_THAT(sentence(token, {"1", "9", "9"}),
             ContainsSubstring("do not agree with effect (ρ 0.20): none is 1.1 times the mean, but "
                               "without \"1\" log p falls by 5.00"));
}

TEST_CASE("shuffled weights change an answer that needs them", "[trust]") {
  Reader model(HardNormalizer{});
  // "b" says yes, the others no: a shuffle moves the weight away from it in three of four.
  const TrustQuestion q = ask(model, {0, -9, 5, 9, 0, -9, 0, -9}, std::cref(model));
  const TokenTrust token = examine(q, {.shuffles = 400}).tokens.at(0);
  CHECK(*token.shuffled_changed == Approx(0.75).margin(0.08));
  CHECK(*token.shuffled_distance == Approx(1).margin(0.001));
  const TokenTrust again = examine(q, {.shuffles = 400}).tokens.at(0);
  CHECK(again.shuffled_changed == token.shuffled_changed);
  CHECK_FALSE(examine(q, {.shuffles = 0}).tokens.at(0).shuffled_changed);
}

TEST_CASE("each token of an answer is explained by itself", "[trust]") {
  // logit_t of id 0 is (t + 1)·x_t: seventy places and tokens, more than a batch has rows.
  constexpr int64_t n = 70;
  TrustQuestion q;
  for (int64_t i = 0; i < n; ++i) q.source.push_back("s" + std::to_string(i));
  q.answer = q.source;
  q.ids.assign(n, 0);
  std::vector<double> values, factors;
  for (int64_t i = 0; i < n; ++i) {
    values.push_back(1);
    factors.push_back(static_cast<double>(i + 1));
    q.weights.emplace_back(n, 1.0 / n);
  }
  q.input = Tensor::from(values, {1, n, 1});
  const Var factor(Tensor::from(factors, {1, n, 1}));
  q.logits = [&](const Var& x) { return cat({x * factor, x * 0.0}, 2); };
  const TrustReport y = examine(q, {.erasure = Erasure::blank});
  for (int64_t t = 0; t < n; ++t)
    for (int64_t s = 0; s < n; ++s) {
      const TokenTrust& token = y.tokens[static_cast<size_t>(t)];
      const auto at = static_cast<size_t>(s);
      const double logit = static_cast<double>(t + 1);
      CHECK(token.gradient[at] == (s == t ? logit : 0));
      CHECK(token.erasure[at] ==
            Approx(s == t ? log_sigmoid(logit) - log_sigmoid(0) : 0).margin(1e-12));
    }
  CHECK_FALSE(y.tokens[0].shuffled_changed);  // no layer was named
  CHECK_FALSE(y.tokens[0].rho_erasure);       // uniform weights have no order
}

TEST_CASE("the lens says what does not fit", "[trust]") {
  Reader model;
  const TrustQuestion good = ask(model, {1, 1, 2, 2}, std::cref(model));
  TrustQuestion q = good;
  q.weights = {{1, 0, 0}};
  CHECK_THAT(message_of([&] { examine(q); }), ContainsSubstring("for 1 tokens and 2 places"));
  q = good;
  q.answer.clear();
  CHECK(message_of([&] { examine(q); }) ==
        "trust: there is nothing to explain: 2 places, 0 tokens");
  q = good;
  q.layer = "decoder";
  CHECK_THAT(message_of([&] { examine(q); }), ContainsSubstring("no layer of this name: decoder"));
  model.train();
  CHECK_THAT(message_of([&] { examine(good); }), ContainsSubstring("training mode"));
}

TEST_CASE("a single place is blanked, and has nothing to compare", "[trust]") {
  Reader model;
  const TrustQuestion q = ask(model, {1, 3}, std::cref(model));
  const TokenTrust token = examine(q).tokens.at(0);
  CHECK(token.erasure[0] == Approx(log_sigmoid(3) - log_sigmoid(0)));
  CHECK(verdict(token) == TrustVerdict::single);
}

TEST_CASE("a verdict has thresholds", "[trust]") {
  const auto of = [](std::vector<double> weights, std::vector<double> erasure, double rho) {
    TokenTrust token{.token = "y"};
    token.weights = std::move(weights);
    token.erasure = std::move(erasure);
    token.rho_erasure = rho;
    return verdict(token);
  };
  CHECK(of({0.5, 0.3, 0.2}, {0.1, 0, 0}, 0) == TrustVerdict::agree);  // the same place
  CHECK(of({0.5, 0.3, 0.2}, {0, -0.1, 0}, 0.49) == TrustVerdict::disagree);
  CHECK(of({0.5, 0.3, 0.2}, {0, -0.1, 0}, 0.5) == TrustVerdict::agree);  // ranks together
  CHECK(of({0.4, 0.4, 0.2}, {0, 0.1, 0}, 0) == TrustVerdict::agree);     // shares the most weight
  CHECK(of({0.5, 0.2, 0.3}, {0, -0.1, 0}, 0.9) == TrustVerdict::disagree);  // half the most is less
  CHECK(of({0.34, 0.33, 0.33}, {0.1, 0, 0}, 1) == TrustVerdict::disagree);  // no preference
  CHECK(of({0.5, 0.3, 0.2}, {0.009, 0, -0.009}, 1) == TrustVerdict::silent);
}

TEST_CASE("cells that touch are one place, tokens are not", "[trust]") {
  const auto of = [](size_t looked, size_t felt, int64_t columns) {
    TokenTrust token{.token = "y"};
    token.weights.assign(12, 0.01);
    token.erasure.assign(12, 0);
    token.weights[looked] = 0.5;
    token.erasure[felt] = -1;
    token.rho_erasure = 0;
    return verdict(token, columns);
  };
  for (const size_t near : {0, 1, 2, 4, 6, 8, 9, 10})  // around the cell 5 of a map of 3 × 4
    CHECK(of(5, near, 4) == TrustVerdict::agree);
  CHECK(of(5, 7, 4) == TrustVerdict::disagree);
  CHECK(of(3, 4, 4) == TrustVerdict::disagree);  // the end of a row and the next one's start
  CHECK(of(5, 6, 0) == TrustVerdict::disagree);
  CHECK(of(5, 5, 0) == TrustVerdict::agree);
}

TEST_CASE("a shuffle leaves the sentinel where it is", "[trust]") {
  // Four places say no; the sentinel behind them has all the weight and says yes.
  struct Known : Module {
    Known()
        : attention({.query_dim = 1, .key_dim = 1, .value_dim = 1, .score = DotScore{}},
                    generator) {
      eval();
    }
    void visit(Visitor& v) override { v("attention", attention); }
    Generator generator;
    Attention attention;
  } model;
  TrustQuestion q;
  q.source = {"a", "b", "c", "d"};
  q.answer = {"yes"};
  q.ids = {0};
  q.weights = {{0, 0, 0, 0}};
  q.input = Tensor::full({1, 4, 1}, -9, kFloat64);
  q.model = &model;
  q.layer = "attention";
  q.logits = [&](const Var& x) {
    const int64_t n = x.size(0), S = x.size(1);
    const Var own(Tensor::full({n, 1, 1}, 9, kFloat64));
    const Var keys = cat({Var(Tensor::zeros({n, S, 1}, kFloat64)), own * 10.0}, 1);
    const Var query(Tensor::ones({n, 1, 1}, kFloat64));
    const Var seen =
        model.attention(query, model.attention.prepare(keys, {}, cat({x, own}, 1))).output;
    return cat({seen, seen * 0.0}, 2);
  };
  const TokenTrust token = examine(q, {.shuffles = 50}).tokens.at(0);
  CHECK(*token.shuffled_changed == 0);
  CHECK(*token.shuffled_distance == Approx(0).margin(1e-12));
}

TEST_CASE("a report of trust is a table, maps and data", "[trust]") {
  Reader model(HardNormalizer{});
  const TrustReport y = examine(ask(model, {1, 5, 9, 2, 5, 3}, std::cref(model)));
  CHECK(summary(y) == "weights agree with effect in 1 of 1 token");
  const auto maps = trust_maps(y);
  REQUIRE(maps.size() == 4);
  for (const AttentionMap& map : maps)
    CHECK(map.weights == std::vector<std::vector<double>>{{0, 1, 0}});
  const ReportTable table = trust_table(y);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].size() == table.head.size());
  CHECK(table.rows[0][3] == "1.00");
}
