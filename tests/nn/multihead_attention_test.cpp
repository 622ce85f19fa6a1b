#include "nn/multihead_attention.h"

#include <cmath>

#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const double kNan = std::nan("");

Var ramp(const Shape& shape, double step) {
  std::vector<double> values;
  for (int64_t i = 0; i < numel(shape); ++i) values.push_back(std::sin(step * double(i + 1)));
  return leaf(values, shape);
}

// T equal queries over S keys with values 1, 2, 4, 8, ...
std::vector<double> causal_contexts(int64_t T, int64_t S) {
  std::vector<double> values;
  for (int64_t s = 0; s < S; ++s) values.push_back(std::pow(2, double(s)));
  const Var zeros(Tensor::zeros({1, std::max(T, S), 1}, kFloat64));
  return numbers(scaled_dot_product_attention(narrow(zeros, 1, 0, T), narrow(zeros, 1, 0, S),
                                              leaf(values, {1, S, 1}), Mask::causal(T, S))
                     .context);
}

MultiheadAttention layer_of(int64_t heads, const MultiheadAttentionOptions& options = {}) {
  Generator g(5);
  MultiheadAttention layer(4, heads, options, g);
  layer.to(kFloat64);
  return layer;
}

}  // namespace

TEST_CASE("a causal mask ends with the last key", "[attention]") {
  CHECK(causal_contexts(2, 4)[0] == Approx(7.0 / 3));
  CHECK(causal_contexts(2, 4)[1] == Approx(3.75));
  CHECK(causal_contexts(1, 4)[0] == Approx(3.75));
  CHECK(causal_contexts(4, 2) == std::vector<double>{0, 0, 1, 1.5});
}

TEST_CASE("scaled dot-product attention of one query by hand", "[attention]") {
  const Var query = leaf({2}, {1, 1, 1}), key = leaf({0, 0.5, 1, 0.25}, {1, 4, 1});
  const Var value = leaf({1, 10, 100, 1000}, {1, 4, 1});  // scores 0, 1, 2, 0.5
  const auto context = [&](const Mask& mask, const Var& bias = {}) {
    return numbers(scaled_dot_product_attention(query, key, value, mask, bias).context)[0];
  };
  const Mask last = Mask::from_lengths({3}, 4);
  const Mask first =
      Mask::where_true_query_may_attend(Tensor::from({0.0, 1.0, 1.0, 1.0}, {1, 4}).to(kBool));
  CHECK(context(last) == Approx(69.0614109));
  CHECK(context(last, leaf({0, -1, 0, 0}, {1, 4})) == Approx(79.8701810));
  CHECK(context(last & first) == Approx(75.7952721));
}

TEST_CASE("with one head and identities attention is scaled dot-product attention", "[attention]") {
  MultiheadAttention layer = layer_of(1);
  layer.in_proj_weight =
      Var(cat(std::vector<Var>(3, Var(Tensor::eye(4, kFloat64))), 0).value(), true);
  layer.out_proj.weight = Var(Tensor::eye(4, kFloat64), true);
  const Var q = ramp({3, 2, 4}, 0.7), k = ramp({5, 2, 4}, 1.3), v = ramp({5, 2, 4}, 0.4);
  const Attended y = layer(q, k, v);
  const auto rows = [](const Var& x) { return transpose(x, 0, 1); };
  check_close(rows(y.context),
              numbers(scaled_dot_product_attention(rows(q), rows(k), rows(v)).context));
}

TEST_CASE("what padding holds changes nothing, not even NaN", "[attention]") {
  MultiheadAttention layer = layer_of(2, {.batch_first = true});
  const auto run = [&](double filler) {
    const Tensor keys = ramp({2, 4, 4}, 0.9).value().clone();
    keys.select(0, 0).narrow(0, 2, 2).fill_(filler);
    layer.zero_grad();
    const Var query = ramp({2, 3, 4}, 0.5), key(keys, true);
    const Attended y = layer(query, key, key, Mask::from_lengths({2, 4}, 4));
    sum(square(y.context)).backward();
    std::vector<double> all = numbers(y.context);
    for (const Var& g : {layer.in_proj_weight.grad(), query.grad(), key.grad()})
      for (double number : numbers(g)) all.push_back(number);
    return all;
  };
  CHECK(run(kNan) == run(7));
}

TEST_CASE("a query that may attend to nothing gets no context and no gradient", "[attention]") {
  MultiheadAttention layer = layer_of(2, {.bias = false, .batch_first = true});
  const Var query = ramp({1, 3, 4}, 0.5), key = ramp({1, 2, 4}, 0.3);
  const Attended y = layer(query, key, key, Mask::causal(3, 2));  // the first row sees nothing
  check_close(select(y.context, 1, 0), {0, 0, 0, 0});
  sum(square(y.context)).backward();
  check_close(select(query.grad(), 1, 0), {0, 0, 0, 0});
  CHECK(std::isfinite(sum(layer.in_proj_weight.grad()).item()));
}

TEST_CASE("decoding step by step gives the whole sequence's contexts", "[attention]") {
  MultiheadAttention layer = layer_of(2, {.batch_first = true});
  const Var x = ramp({2, 5, 4}, 0.6);
  const Var whole = layer(x, x, x, Mask::causal(5, 5)).context;
  for (int64_t t = 0; t < 5; ++t) {
    const Var seen = narrow(x, 1, 0, t + 1), last = narrow(x, 1, t, 1);
    check_close(layer(last, seen, seen, Mask::causal(1, t + 1)).context,
                numbers(narrow(whole, 1, t, 1)));
  }
}

TEST_CASE("weights per head and averaged", "[attention]") {
  MultiheadAttention layer = layer_of(2);
  const Var x = ramp({3, 2, 4}, 0.8);
  const Attended y = layer(x, x, x);
  CHECK(y.weights.shape() == Shape{2, 2, 3, 3});
  check_close(sum(y.weights, {-1}), std::vector<double>(12, 1));
  CHECK(MultiheadAttention::averaged(y.weights).shape() == Shape{2, 3, 3});
  const Attended single = layer(select(x, 1, 0), select(x, 1, 0), select(x, 1, 0));
  CHECK(single.weights.shape() == Shape{2, 3, 3});
  check_close(single.context, numbers(select(y.context, 1, 0)));
}

TEST_CASE("masks that do not fit are refused", "[attention]") {
  CHECK_THROWS_WITH(Mask::causal(2, 3).for_scores({2, 2, 4}), ContainsSubstring("does not fit"));
  CHECK_THROWS_WITH(Mask::from_lengths({1, 2}, 3).for_scores({3, 2, 3}),
                    ContainsSubstring("does not fit"));
  CHECK_THROWS_WITH(Mask::where_true_query_may_attend(Tensor::ones({2, 2})),
                    ContainsSubstring("needs bool"));
  CHECK_THROWS_WITH(Mask::causal(2, 3) & Mask::causal(3, 3), ContainsSubstring("different shapes"));
}
