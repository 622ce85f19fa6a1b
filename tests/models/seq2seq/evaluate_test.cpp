#include "models/seq2seq/evaluate.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("translate refuses a beam that is no beam before it divides by it") {
  const TextCodec codec(TextOptions{}, {{"ab", "ba"}, {"b", "b"}});
  Seq2Seq model({.source_vocabulary = codec.source.size(),
                 .target_vocabulary = codec.target.size(),
                 .embedding = 3,
                 .hidden = 3,
                 .attention = 3},
                1);
  model.eval();
  for (int64_t beam : {0, -1})
    CHECK_THROWS_WITH(translate(model, codec, {"ab"}, {.beam = beam}),
                      Catch::Matchers::ContainsSubstring("beam must be at least 1"));
  CHECK(translate(model, codec, {"ab"}, {.beam = 1}).size() == 1);
}
