#include "autograd/autograd.h"
#include "nn/attention/attention.h"
#include "nn/attention/recorder.h"
#include "tests/catch.h"

using namespace glass;

TEST_CASE("keys followed by keys are all of them at once", "[attention]") {
  Generator g(1);
  const Var first(uniform({2, 3, 4}, -1, 1, kFloat64, g)),
      second(uniform({2, 2, 4}, -1, 1, kFloat64, g)), query(uniform({2, 2, 4}, -1, 1, kFloat64, g));
  for (const int64_t heads : {1, 2})
    for (const bool additive : {true, false})
      for (const int masks : {0, 1, 2, 3}) {
        AttentionOptions options{.query_dim = 4, .key_dim = 4};
        if (additive) options.score = AdditiveScore{.attn_dim = 3};
        options.heads = {.num_heads = heads, .in_proj = heads > 1, .out_proj = heads > 1};
        Attention attention(options, g);
        attention.to(kFloat64);
        const Mask a = masks & 1 ? Mask::from_lengths({1, 3}, 3) : Mask();
        const Mask b = masks & 2 ? Mask::from_lengths({2, 1}, 2) : Mask();
        Tensor both = Tensor::ones({2, 5}, kBool);
        if (masks & 1) both.narrow(1, 0, 3).copy_(a.keys());
        if (masks & 2) both.narrow(1, 3, 2).copy_(b.keys());
        const Keys joined = attention.prepare(first, a).followed_by(attention.prepare(second, b));
        const AttentionOutput y = attention(query, joined);
        const AttentionOutput want = attention(
            query, attention.prepare(cat({first, second}, 1), Mask::where_true_may_attend(both)));
        INFO("heads " << heads << ", masks " << masks);
        CHECK(amax(abs(y.output - want.output)).item() < 1e-12);
        CHECK(amax(abs(y.weights.dense() - want.weights.dense())).item() < 1e-12);
      }
  Attention attention({.query_dim = 4, .key_dim = 4}, g);
  attention.to(kFloat64);
  const Keys causal = attention.prepare(first, Mask::causal(3, 3));
  CHECK_THROWS_AS(causal.followed_by(attention.prepare(second)), Error);
}

TEST_CASE("a context gate is a number or a vector whatever the dialect, and is recorded",
          "[attention]") {
  Generator g(2);
  const Var keys(uniform({2, 3, 4}, -1, 1, kFloat32, g)),
      query(uniform({2, 5, 6}, -1, 1, kFloat32, g));
  for (const auto& [gate, dialect, size] : {std::tuple{ContextGate{}, Dialect::paper, 1},
                                            {ContextGate{}, Dialect::popular, 4},
                                            {ContextGate{true}, Dialect::paper, 4},
                                            {ContextGate{false}, Dialect::popular, 1}}) {
    AttentionOptions options{.query_dim = 6, .key_dim = 4, .score = GeneralScore{}};
    options.after = gate;
    options.dialect = dialect;
    const Attention attention(options, g);
    AttentionRecorder recorder;
    const AttentionOutput y = attention(query, attention.prepare(keys));
    CHECK(y.gate.shape() == Shape{2, 5, size});
    CHECK(amax(abs(y.output - y.gate * y.context)).item() < 1e-6);
    const Tensor seen = recorder.gates("attention 1");
    CHECK(seen.shape() == Shape{2, 5});
    CHECK(seen.at({1, 3}) == Approx(mean(y.gate, {2}).value().at({1, 3})));
  }
  const Attention plain({.query_dim = 6, .key_dim = 4, .score = GeneralScore{}}, g);
  AttentionRecorder recorder;
  plain(query, plain.prepare(keys));
  CHECK_FALSE(recorder.gates("attention 1").defined());
}
