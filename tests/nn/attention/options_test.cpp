// Choices and calls that make no sense are refused where they are made, by their names.
#include <cmath>

#include "autograd/autograd.h"
#include "nn/attention/attention.h"
#include "nn/attention/losses.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

std::string refusal(AttentionOptions options) {
  options.query_dim = options.key_dim = 4;
  return message_of([&] { checked(options); });
}

bool says(const std::string& message, const std::string& words) {
  INFO(message);
  return message.find(words) != std::string::npos;
}

Attention make(AttentionScore score = AdditiveScore{3}) {
  Generator g(1);
  return Attention({.query_dim = 4, .key_dim = 4, .score = score}, g);
}

const Var kOnesKeys(Tensor::ones({2, 5, 4})), kOnesQuery(Tensor::ones({2, 3, 4}));

}  // namespace

TEST_CASE("numbers that no attention can use are refused by name", "[attention]") {
  const double nan = std::nan(""), inf = INFINITY;
  CHECK(says(refusal({.score = ScaledDotScore{nan}}), "scale must be finite: nan"));
  for (const double bad : {nan, inf, 0.0, -1.0}) {
    CHECK(says(refusal({.score = CosineScore{.temperature = bad}}), "temperature must be"));
    CHECK(says(refusal({.score = CosineScore{.eps = bad}}), "eps must be finite and positive"));
    CHECK(says(refusal({.normalizer = HardNormalizer{.temperature = bad}}), "temperature must be"));
    CHECK(says(refusal({.scope = LocalPScope{.sigma = bad}}), "sigma must be"));
  }
  for (const double bad : {nan, inf, -1.0}) {
    CHECK(says(refusal({.scope = PriorScope{.strength = bad}}), "strength of a prior must be"));
    CHECK(says(refusal({.scope = PriorScope{.ratio = bad}}), "ratio of a prior must be"));
    CHECK(says(refusal({.normalizer = MonotonicNormalizer{.noise_std = bad}}), "noise_std must"));
    CHECK(says(refusal({.normalizer = MochaNormalizer{.monotonic = {.noise_std = bad}}}),
               "noise_std must be"));
  }
  CHECK(says(refusal({.normalizer = MonotonicNormalizer{.r_init = nan}}), "r_init must be finite"));
  CHECK(says(refusal({.normalizer = HardNormalizer{.expectation_prob = nan}}), "in [0, 1]: nan"));
  CHECK(says(refusal({.scope = LocalMScope{-1}}), "D must not be negative: -1"));
  CHECK(says(refusal({.scope = LocalPScope{.D = 0}}), "D must be positive: 0"));
  CHECK(says(refusal({.scope = LocalPScope{.attn_dim = -1}}), "attn_dim must not be negative: -1"));
  CHECK(says(refusal({.normalizer = MochaNormalizer{.chunk = -1}}), "chunk must be positive: -1"));
  CHECK(says(refusal({.heads = {.num_heads = 2, .embed_dim = 8}}), "without in_proj or out_proj"));
  CHECK(says(refusal({.dropout = nan}), "dropout must be in [0, 1]: nan"));
}

TEST_CASE("a call that does not fit the layer is refused by its own name", "[attention]") {
  const Attention layer = make();
  const Keys keys = layer.prepare(kOnesKeys);
  CHECK(says(message_of([&] { layer(kOnesQuery, Keys()); }), "Attention: the keys are empty"));
  const Var wide(Tensor::ones({2, 5, 4}, kFloat64));
  CHECK(says(message_of([&] { layer.prepare(wide); }),
             "keys must have the layer's type: got float64, needs float32"));
  CHECK(says(message_of([&] { layer.prepare(kOnesKeys, {}, wide); }),
             "values must have the layer's"));
  CHECK(says(message_of([&] {
               layer(Var(Tensor::ones({2, 3, 4}, kFloat64)), keys);
             }),
             "the query must have the layer's type"));
  const auto with_bias = [&](const Tensor& bias) {
    return message_of([&] { layer(kOnesQuery, keys, {}, {.bias = Var(bias)}); });
  };
  CHECK(says(with_bias(Tensor::ones({3, 6})), "must broadcast to [B, H, T, S]: [3, 6] for"));
  CHECK(says(with_bias(Tensor::ones({1, 1, 1, 3, 5})), "must broadcast to [B, H, T, S]"));
  CHECK(says(with_bias(Tensor::ones({3, 5}, kFloat64)), "the bias must have the layer's type"));
  AttentionState state;
  state.step = -1;
  CHECK(says(message_of([&] { layer(kOnesQuery, keys, state); }), "step must not be negative: -1"));
  state = {.previous = Var(Tensor::ones({2, 1, 4}))};
  CHECK(says(message_of([&] { layer(kOnesQuery, keys, state); }), "previous must be [B, H, S]"));
  state = {.coverage = Var(Tensor::ones({2, 5}))};
  CHECK(says(message_of([&] { layer(kOnesQuery, keys, state); }), "coverage must be [B, H, S]"));
  CHECK(says(message_of([&] {
               make(DotScore{})(kOnesQuery, make(DotScore{}).prepare(kOnesKeys), {}, {.chunk = -1});
             }),
             "chunk must be positive, or 0 for none: -1"));
}

TEST_CASE("a layer without parameters takes the features' type", "[attention]") {
  const Attention layer = make(DotScore{});
  const Var keys(Tensor::ones({2, 5, 4}, kFloat64));
  CHECK(layer(keys, layer.prepare(keys)).context.dtype() == kFloat64);
  CHECK(says(message_of([&] { layer(kOnesQuery, layer.prepare(keys)); }), "the query must have"));
}

TEST_CASE("a REINFORCE loss needs something that was drawn", "[attention][estimator]") {
  CHECK(says(message_of([] { reinforce_loss(Var(), Var(1.0), Var(), 0); }),
             "needs the log-probability of what was drawn"));
}
