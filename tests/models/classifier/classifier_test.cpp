#include "models/classifier/classifier.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/autograd.h"
#include "models/text/vocabulary.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

ClassifierOptions small(const std::string& encoder) {
  return {.source_vocabulary = 9,
          .target_vocabulary = 6,
          .encoder = encoder,
          .embedding = 4,
          .hidden = 4,
          .heads = 2,
          .attention_size = 3,
          .hops = 2,
          .dropout = 0};
}

}  // namespace

TEST_CASE("pooling is the paper's equations", "[classifier]") {
  Generator g(1);
  SelfAttentivePooling pool(2, 2, 2, g);
  pool.squash.weight = Var(Tensor::from({1.0, 0.0, 0.0, 2.0}, {2, 2}));
  pool.hops = Var(Tensor::from({1.0, 0.0, 0.0, -1.0}, {2, 2}));
  const Var states(Tensor::from({1.0, 3.0, -1.0, 0.5, 0.0, 7.0}, {1, 3, 2}));
  const auto y = pool(states, Mask::from_lengths({2}, 3));
  // The third state is hidden. Scores: tanh(1), tanh(-1); -tanh(6), -tanh(1).
  const double a = 1 / (1 + std::exp(std::tanh(-1) - std::tanh(1)));
  const double b = 1 / (1 + std::exp(std::tanh(6) - std::tanh(1)));
  check_close(y.weights, {a, 1 - a, 0, b, 1 - b, 0});
  check_close(y.pooled, {a - (1 - a), 3 * a + 0.5 * (1 - a), b - (1 - b), 3 * b + 0.5 * (1 - b)});
}

TEST_CASE("the hops' penalty as worked out by hand", "[classifier]") {
  // Both hops on one place: A·Aᵀ - I has 0 on the diagonal and 1 beside it.
  check_close(hop_penalty(Var(Tensor::from({1.0, 0.0, 1.0, 0.0}, {1, 2, 2}))), {2});
  check_close(hop_penalty(Var(Tensor::from({1.0, 0.0, 0.0, 1.0}, {1, 2, 2}))), {0});
  // Two rows of the batch, ½½ and ½½: ½ - 1 and ½, twice each; the mean with the first.
  check_close(hop_penalty(Var(Tensor::from({1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.5, 0.5}, {2, 2, 2}))),
              {(2 + 1) / 2.0});
}

TEST_CASE("a classifier answers with one label, whatever the padding", "[classifier]") {
  for (const char* encoder : {"recurrent", "transformer"}) {
    INFO(encoder);
    Classifier model(small(encoder), 3);
    model.eval();
    const auto alone = model.translate({{4, 5}}, {.beam = 1});
    const auto both = model.translate({{4, 5}, {6, 7, 8, 4, 5, 6}}, {.beam = 3, .n_best = 2});
    REQUIRE(alone[0][0].ids.size() == 1);
    CHECK(alone[0][0].finished);
    CHECK(alone[0][0].ids[0] > Vocabulary::kEos);
    model.output.weight.value().fill_(0);  // no label is preferred, and nothing else is an answer
    CHECK(model.loss(make_batch({{4, 5}}, {{5}}), 0).mean.item() ==
          Approx(std::log(2)).margin(0.2));
    model = Classifier(small(encoder), 3);
    model.eval();
    CHECK(both[0][0].ids == alone[0][0].ids);
    CHECK(both[0][0].log_prob == Approx(alone[0][0].log_prob).epsilon(1e-4));
    REQUIRE(both[1].size() == 2);
    CHECK(both[1][0].ids != both[1][1].ids);
    CHECK(both[1][0].log_prob > both[1][1].log_prob);
    // The weights are the mean of the hops, and the padding has none.
    const auto batch = make_batch({{4, 5}, {6, 7, 8, 4, 5, 6}}, {{4}, {5}});
    const Tensor weights = model.attention(batch);
    CHECK(weights.shape() == Shape{2, 2, 6});
    double mass = 0;
    for (int64_t s = 0; s < 6; ++s) mass += weights.at({0, 0, s});
    CHECK(mass == Approx(1));
    for (int64_t s = 2; s < 6; ++s) CHECK(weights.at({0, 0, s}) == 0);
    CHECK(alone[0][0].weights[0][0] == Approx(weights.at({0, 0, 0})).epsilon(1e-4));
  }
}

TEST_CASE("a classifier's loss and logits are about the label alone", "[classifier]") {
  Classifier model(small("recurrent"), 4);
  model.to(kFloat64);
  model.eval();
  const auto batch = make_batch({{4, 5, 6}, {7}}, {{4}, {5}});
  const auto [source, target] = model.embed(batch);
  const Var logits = model.logits(source, target, batch);
  CHECK(logits.shape() == Shape{2, 2, 6});
  const Tensor log_p = log_softmax(select(logits, 1, 0), -1).value();
  const auto loss = model.loss(batch);
  CHECK(loss.tokens == 2);
  CHECK(loss.mean.item() == Approx(-(log_p.at({0, 4}) + log_p.at({1, 5})) / 2));
  const Tensor end = log_softmax(select(logits, 1, 1), -1).value();
  CHECK(end.at({0, Vocabulary::kEos}) == Approx(0).margin(1e-12));
  // In training alone the penalty is added.
  ClassifierOptions options = small("recurrent");
  options.penalty = 10;
  Classifier penalised(options, 4);
  penalised.to(kFloat64);
  penalised.eval();
  CHECK(penalised.loss(batch).mean.item() == Approx(loss.mean.item()));
  penalised.train();
  const auto trained = penalised.loss(batch);
  CHECK(trained.mean.item() > loss.mean.item() + 0.1);
  CHECK(trained.cross_entropy.item() == Approx(loss.mean.item()));
}

TEST_CASE("a classifier's options come back from JSON, and wrong ones are named", "[classifier]") {
  ClassifierOptions o = small("transformer");
  o.penalty = 0.5;
  CHECK(to_json(classifier_options(to_json(o))) == to_json(o));
  const auto error = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json json = to_json(o);
    json[key] = value;
    return message_of([&] { classifier_options(json); });
  };
  CHECK_THAT(error("encoder", "cnn"), ContainsSubstring("must be recurrent or transformer"));
  CHECK_THAT(error("heads", 3), ContainsSubstring("multiple of heads: 4 and 3"));
  CHECK_THAT(error("hops", 0), ContainsSubstring("hops"));
  CHECK_THAT(error("hopes", 1), ContainsSubstring("hopes"));
}
