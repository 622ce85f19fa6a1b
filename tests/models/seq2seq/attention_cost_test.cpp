#include "models/seq2seq/attention_cost.h"

#include <cmath>

#include "models/seq2seq/attention_choice.h"
#include "models/seq2seq/seq2seq.h"
#include "models/transformer/translator.h"
#include "tests/catch.h"

using namespace glass;

namespace {

double cost(const AttentionChoice& choice, int64_t query, int64_t key, int64_t S, int64_t T) {
  return attention_multiply_adds(checked(attention_options(choice, query, key)), S, T);
}

}  // namespace

// S = 5 keys, T = 3 queries, sizes 4 (query) and 6 (key).
TEST_CASE("multiply-adds of an attention, counted by hand") {
  CHECK(cost({.score = "dot"}, 4, 4, 5, 3) == 15 * (4 + 4));
  CHECK(cost({.score = "general"}, 4, 6, 5, 3) == 5 * 4 * 6 + 15 * (4 + 6));
  CHECK(cost({.score = "additive", .size = 7}, 4, 6, 5, 3) == 5 * 7 * 6 + 3 * 7 * 4 + 15 * (7 + 6));
  CHECK(cost({.score = "concat", .dialect = "authors"}, 4, 6, 5, 3) == 3 * 6 * 4 + 15 * (6 + 6));
  CHECK(cost({.score = "additive", .size = 7, .coverage = true}, 4, 6, 5, 3) ==
        5 * 7 * 6 + 3 * 7 * 4 + 15 * (14 + 6));
  CHECK(cost({.score = "dot", .normalizer = "mocha", .window = 2}, 4, 4, 5, 3) == 15 * (8 + 4));
  // Two heads of 2: keys and values to 4 features, queries from 4 to 4, and out of 4 again.
  CHECK(cost({.score = "dot", .heads = 2}, 4, 6, 5, 3) ==
        5 * (6 + 6) * 4 + 3 * (16 + 16) + 15 * (4 + 4));
  // Windows of D = 1: queries 0, 1 and 2 see 2, 3 and 3 of the keys.
  CHECK(cost({.score = "dot", .scope = "local-m", .window = 1}, 4, 4, 5, 3) == 8 * (4 + 4));
  CHECK(cost({.score = "dot", .scope = "local-p", .window = 1}, 4, 4, 5, 3) ==
        3 * (4 * 4 + 4) + 9 * (4 + 4));
  CHECK(transformer_multiply_adds(4, 1, 0, 5, 3) == 4 * 5 * 16 + 2 * 25 * 4);
  CHECK(transformer_multiply_adds(4, 0, 1, 5, 3) ==
        4 * 3 * 16 + 2 * 9 * 4 + (2 * 3 + 2 * 5) * 16 + 2 * 15 * 4);
}

TEST_CASE("windows cost in proportion to the length, all keys to its square") {
  const auto slope = [](const AttentionChoice& choice) {
    return std::log2(cost(choice, 64, 64, 1200, 1200) / cost(choice, 64, 64, 600, 600));
  };
  CHECK(slope({.score = "dot"}) == Approx(2));
  CHECK(slope({.score = "dot", .scope = "local-m"}) == Approx(1).margin(0.01));
  CHECK(slope({.score = "dot", .scope = "local-p"}) == Approx(1).margin(0.01));
}

TEST_CASE("every kind of model knows what its attention costs") {
  Seq2SeqOptions o{.source_vocabulary = 9, .target_vocabulary = 9, .embedding = 3, .hidden = 4};
  o.attention = {.score = "dot"};
  CHECK(Seq2Seq(o, 1).attention_multiply_adds(5, 3) == 15 * (4 + 4));  // keys bridged to 4
  o.place = AttentionPlace::none;
  CHECK(Seq2Seq(o, 1).attention_multiply_adds(5, 3) == 0);
  CHECK(TransformerTranslator({.source_vocabulary = 9,
                               .target_vocabulary = 9,
                               .d_model = 4,
                               .ffn = 3,
                               .heads = 2,
                               .layers = 1,
                               .decoder_layers = 2},
                              1)
            .attention_multiply_adds(5, 3) == transformer_multiply_adds(4, 1, 2, 5, 3));
}
