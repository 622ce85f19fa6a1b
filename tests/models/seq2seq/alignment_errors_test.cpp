#include "models/seq2seq/alignment_errors.h"

#include "models/seq2seq/seq2seq.h"
#include "tests/catch.h"

using namespace glass;

TEST_CASE("the alignment error rate of attention counts the links of forced answers") {
  const TextCodec codec(TextOptions{}, {{"abcd", "abcd"}});
  const std::vector<References> data = {{"ab", {"ab"}}, {"abcd", {"abc"}}, {"c", {"ca"}}};
  const auto gold = [](const std::vector<const char*>& lines) {
    std::vector<GoldLinks> all;
    for (const char* line : lines) all.push_back(gold_links(line));
    return all;
  };
  Seq2Seq model(
      {.source_vocabulary = codec.source.size(),
       .target_vocabulary = codec.target.size(),
       .embedding = 3,
       .hidden = 3,
       .attention = {.scope = "gaussian", .size = 3, .strength = 1000}},
      1);  // the nearest key counts alone: t looks at t, at the last key where t is behind
  model.train();
  const auto rate = [&](const std::vector<const char*>& lines) {
    return attention_alignment_error_rate(model, codec, data, gold(lines));
  };
  CHECK(rate({"0-0 1-1", "0-0 1-1 2-2", "0-0 0-1"}) == Approx(0));
  // found: 2 + 3 + 2 links. Of 6 sure ones 3 are found: 1 - (3 + 3) / (7 + 6).
  CHECK(rate({"1-0 1-1", "0-0 2-1 2-2", "1-0"}) == Approx(1 - 6.0 / 13));
  CHECK(rate({"1?0 1?1", "0-0 2?1 2-2", ""}) == Approx(1 - (2 + 3.0) / (7 + 2)));
  CHECK(model.is_training());
  Seq2Seq blind({.source_vocabulary = codec.source.size(),
                 .target_vocabulary = codec.target.size(),
                 .embedding = 3,
                 .hidden = 3,
                 .place = AttentionPlace::none},
                1);
  CHECK_THROWS_WITH(attention_alignment_error_rate(blind, codec, data, gold({"", "", ""})),
                    Catch::Matchers::ContainsSubstring("the model has no attention"));
}
