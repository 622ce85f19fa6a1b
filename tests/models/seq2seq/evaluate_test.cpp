#include "models/seq2seq/evaluate.h"

#include <cmath>

#include "models/seq2seq/seq2seq.h"
#include "tests/catch.h"

using namespace glass;

TEST_CASE("translate refuses a beam that is no beam before it divides by it") {
  const TextCodec codec(TextOptions{}, {{"ab", "ba"}, {"b", "b"}});
  Seq2Seq model({.source_vocabulary = codec.source.size(),
                 .target_vocabulary = codec.target.size(),
                 .embedding = 3,
                 .hidden = 3,
                 .attention = {.size = 3}},
                1);
  model.eval();
  for (int64_t beam : {0, -1})
    CHECK_THROWS_WITH(translate(model, codec, {"ab"}, {.search = {.beam = beam}}),
                      Catch::Matchers::ContainsSubstring("beam must be at least 1"));
  CHECK(translate(model, codec, {"ab"}, {.search = {.beam = 1}}).size() == 1);
}

TEST_CASE("an answer may be as long as the training data's need, in proportion") {
  const auto limit = [](size_t source, size_t target) {
    const TextCodec codec(TextOptions{}, {{std::string(source, 'a'), std::string(target, 'b')},
                                          {std::string(9, 'a'), "b"}});
    return codec.max_length(10);
  };
  CHECK(limit(5, 19) == 30);  // with the end 20 tokens: 2·5 + 10 are enough
  CHECK(limit(5, 20) == 40);
  CHECK(limit(5, 24) == 40);
  CHECK(limit(5, 25) == 50);
  CHECK(limit(1, 500) == 210);  // one long answer does not count without bounds
}

TEST_CASE("a batched translation is the one of each text alone, limit of length included") {
  const TextCodec codec(TextOptions{}, {{"abc", "ba"}, {"b", "cb"}});
  const std::vector<std::string> texts = {"a", "abcabcabcabc", "", "bca", " \u3000"};
  for (uint64_t seed = 1; seed <= 5; ++seed) {  // untrained: most answers run into their limit
    Seq2Seq model({.source_vocabulary = codec.source.size(),
                   .target_vocabulary = codec.target.size(),
                   .embedding = 3,
                   .hidden = 3,
                   .attention = {.size = 3}},
                  seed);
    model.to(kFloat64);
    model.eval();
    const auto together = translate(model, codec, texts, {.search = {.beam = 2, .n_best = 2}});
    for (size_t i = 0; i < texts.size(); ++i) {
      INFO("seed " << seed << ", text " << i);
      const auto alone =
          translate(model, codec, {texts[i]}, {.search = {.beam = 2, .n_best = 2}})[0];
      REQUIRE(alone.size() == together[i].size());
      for (size_t k = 0; k < alone.size(); ++k) {
        CHECK(alone[k].text == together[i][k].text);
        CHECK(alone[k].finished == together[i][k].finished);
        CHECK(alone[k].weights.size() == alone[k].tokens.size());
      }
    }
    for (size_t i : {2, 4}) {  // blank
      REQUIRE(together[i].size() == 1);
      CHECK(together[i][0].text.empty());
      CHECK(together[i][0].finished);
      CHECK(together[i][0].weights.empty());
    }
  }
}

TEST_CASE("an unknown word is replaced by the source token it looked at") {
  const TextCodec codec(TextOptions{}, {{"ab", "c"}});
  Seq2Seq model({.source_vocabulary = codec.source.size(),
                 .target_vocabulary = codec.target.size(),
                 .embedding = 3,
                 .hidden = 3,
                 .attention = {.size = 3}},
                1);
  model.decoder.output.bias.value().narrow(0, Vocabulary::kUnk, 1).fill_(50);  // always <unk>
  model.eval();
  const Translation plain = translate(model, codec, {"ab"}, {})[0][0];
  REQUIRE(plain.tokens.size() > 2);
  CHECK(plain.tokens[0] == "<unk>");
  const Translation copied = translate(model, codec, {"ab"}, {.replace_unknown = true})[0][0];
  for (size_t i = 0; i < copied.tokens.size(); ++i)
    CHECK(copied.tokens[i] == (copied.weights[i][0] >= copied.weights[i][1] ? "a" : "b"));
}

TEST_CASE("the loss of a corpus is the mean over its tokens, whatever the batches") {
  const TextCodec codec(TextOptions{}, {{"abc", "ba"}, {"b", "cb"}});
  Seq2Seq model({.source_vocabulary = codec.source.size(),
                 .target_vocabulary = codec.target.size(),
                 .embedding = 3,
                 .hidden = 3,
                 .attention = {.size = 3}},
                1);
  model.eval();
  std::vector<References> data;  // more than a batch, the last one short
  double sum = 0, mean_of_means = 0;
  int64_t tokens = 0;
  for (int i = 0; i < 130; ++i) {
    data.push_back({std::string(static_cast<size_t>(i % 5 + 1), 'b'),
                    {std::string(static_cast<size_t>(i % 7 + 1), 'c')}});
    const auto loss = model.loss(make_batch({codec.encode_source(data.back().source)},
                                            {codec.encode_target(data.back().targets[0])}));
    sum += loss.mean.item() * static_cast<double>(loss.tokens);
    tokens += loss.tokens;
    mean_of_means += loss.mean.item() / 130;
  }
  const double want = sum / static_cast<double>(tokens);
  REQUIRE(std::fabs(want - mean_of_means) > 1e-4);  // else the test says nothing
  CHECK(evaluate(model, codec, data, 1).score.loss == Approx(want).epsilon(1e-5));
}
