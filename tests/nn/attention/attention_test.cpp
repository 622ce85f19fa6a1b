#include "nn/attention/attention.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

bool all_zero(const Var& x) {
  for (double number : numbers(x))
    if (number != 0) return false;
  return true;
}

Mask mask_of(const std::vector<int>& may, int64_t S) {
  std::vector<double> values(may.begin(), may.end());
  const int64_t B = static_cast<int64_t>(may.size()) / S;
  return Mask::where_true_may_attend(Tensor::from(values, {B, S}).to(kBool));
}

Attention additive(int64_t query, int64_t key, int64_t units, Generator& g, int64_t value = 0) {
  return Attention(
      {.query_dim = query, .key_dim = key, .value_dim = value, .score = AdditiveScore{units}}, g);
}

}  // namespace

TEST_CASE("a masked softmax gives the numbers worked out by hand", "[attention]") {
  const Var scores(Tensor::from({0.0, 1.0, 2.0, 0.5}, {1, 4}));
  check_close(masked_softmax(scores, mask_of({1, 1, 1, 0}, 4)),
              {0.0900306, 0.2447285, 0.6652410, 0});
  check_close(masked_softmax(scores, mask_of({1, 1, 1, 0}, 4) & mask_of({0, 1, 1, 1}, 4)),
              {0, 0.2689414, 0.7310586, 0});
  check_close(masked_softmax(scores + Var(Tensor::from({0.0, -1.0, 0.0, 0.0}, {1, 4})),
                             mask_of({1, 1, 1, 0}, 4)),
              {0.1065070, 0.1065070, 0.7869860, 0});
}

TEST_CASE("a masked softmax never reads what is hidden", "[attention]") {
  for (double poison : {std::nan(""), kInfinity, -kInfinity, 1e300}) {
    const Var scores(Tensor::from({0.0, poison, 1.0}, {1, 3}), true);
    const Var y = masked_softmax(scores, mask_of({1, 0, 1}, 3));
    check_close(y, {0.2689414, 0, 0.7310586});
    y.backward(Var(Tensor::from({1.0, std::nan(""), 0.0}, {1, 3})));
    check_close(scores.grad(), {0.1966119, 0, -0.1966119});
  }
}

TEST_CASE("a masked softmax survives large scores", "[attention]") {
  const Var scores(Tensor::from({1000.0f, 1001.0f, 3000.0f}, {1, 3}));
  check_close(masked_softmax(scores, mask_of({1, 1, 0}, 3)), {0.2689414, 0.7310586, 0});
  check_close(masked_softmax(scores * -1.0, mask_of({1, 1, 0}, 3)), {0.7310586, 0.2689414, 0});
}

// v·tanh(q + k) by hand: A = 1, v = 2, q = 0.5, keys -0.5 and 0.5.
TEST_CASE("additive attention gives the numbers worked out by hand", "[attention]") {
  Generator g;
  Attention attention = additive(1, 1, 1, g);
  attention.scorer.query_weight = parameter(Tensor::from({0.5}, {1, 1}));
  attention.scorer.key_weight = parameter(Tensor::from({1.0}, {1, 1}));
  attention.scorer.v = parameter(Tensor::from({2.0}, {1}));
  const Var keys(Tensor::from({-0.5, 0.5}, {1, 2, 1}));
  const AttentionOutput y = attention(Var(Tensor::from({1.0}, {1, 1})), attention.prepare(keys));
  // Scores 2·tanh(0) = 0 and 2·tanh(1) = 1.5231883: the second weight is σ(1.5231883).
  check_close(y.weights.values, {0.1789925, 0.8210075});
  check_close(y.context, {0.3210075});
}

TEST_CASE("hidden keys and values change nothing by one bit", "[attention]") {
  Generator g(2);
  Attention attention = additive(3, 4, 5, g, 6);
  const Mask mask = mask_of({1, 0, 1, 0, 0, 1}, 3);
  const Tensor keys = uniform({2, 3, 4}, -1, 1, kFloat32, g);
  const Tensor values = uniform({2, 3, 6}, -1, 1, kFloat32, g);
  const Var query(uniform({2, 2, 3}, -1, 1, kFloat32, g), true);
  const Tensor up_context = uniform({2, 2, 6}, -1, 1, kFloat32, g);
  const Tensor up_weights = uniform({2, 2, 3}, -1, 1, kFloat32, g);
  const Var may(mask.keys().unsqueeze(2));
  const auto run = [&](double hidden) {
    const Var k(where(may, Var(keys), hidden).value(), true);
    const Var x(where(may, Var(values), hidden).value(), true);
    attention.zero_grad();
    query.zero_grad();
    const AttentionOutput y = attention(query, attention.prepare(k, mask, x));
    y.context.backward(Var(up_context), {.retain_graph = true});
    y.weights.values.backward(Var(up_weights));
    std::vector<std::vector<double>> all{numbers(y.context), numbers(y.weights.values)};
    for (const Var& v : {query, k, x, attention.scorer.v, attention.scorer.query_weight,
                         attention.scorer.key_weight})
      all.push_back(numbers(v.grad()));
    CHECK(all_zero(where(may, 0.0, k.grad())));
    CHECK(all_zero(where(may, 0.0, x.grad())));
    return all;
  };
  const auto clean = run(0);
  for (const auto& part : clean)
    for (double number : part) CHECK(std::isfinite(number));
  for (double poison : {std::nan(""), kInfinity, -kInfinity, 1e30}) CHECK(run(poison) == clean);
}

TEST_CASE("a query with all keys hidden attends to nothing", "[attention]") {
  Generator g(3);
  Attention attention = additive(3, 4, 5, g);
  attention.to(kFloat64);
  const double nan = std::nan("");
  const Var keys(Tensor::full({1, 3, 4}, nan, kFloat64), true);
  const Var query(uniform({1, 3}, -1, 1, kFloat64, g), true);
  const AttentionOutput y = attention(query, attention.prepare(keys, Mask::from_lengths({0}, 3)));
  CHECK(all_zero(y.context));
  CHECK(all_zero(y.weights.values));
  const std::vector<Var> inputs{query, keys, attention.scorer.v, attention.scorer.query_weight,
                                attention.scorer.key_weight};
  const std::vector<Var> seeds{Var(uniform({1, 4}, -1, 1, kFloat64, g), true),
                               Var(uniform({1, 1, 3}, -1, 1, kFloat64, g), true)};
  const std::vector<Var> outputs{y.context, y.weights.values};
  for (const Var& gradient : grad(outputs, inputs, seeds, {.retain_graph = true}))
    CHECK((!gradient.defined() || all_zero(gradient)));
  const std::vector<Var> first = grad(outputs, inputs, seeds, {.create_graph = true});
  std::vector<Var> used, directions, wanted = inputs;
  for (const Var& gradient : first) {
    if (!gradient.defined() || !gradient.requires_grad()) continue;
    CHECK(all_zero(gradient));
    used.push_back(gradient);
    directions.emplace_back(uniform(gradient.shape(), -1, 1, kFloat64, g));
  }
  REQUIRE(!used.empty());
  for (const Var& second : grad(used, wanted, directions))
    CHECK((!second.defined() || all_zero(second)));
}

TEST_CASE("queries one at a time and all at once give the same", "[attention]") {
  Generator g(4);
  Attention attention = additive(3, 4, 20, g);
  attention.to(kFloat64);
  const Var keys(uniform({2, 5, 4}, -1, 1, kFloat64, g), true);
  const Var query(uniform({2, 3, 3}, -1, 1, kFloat64, g), true);
  const Tensor up = uniform({2, 3, 4}, -1, 1, kFloat64, g);
  const Mask mask = Mask::from_lengths({5, 2}, 5);
  const auto gradients = [&] {
    std::vector<std::vector<double>> all;
    for (const Var& v : {query, keys, attention.scorer.v, attention.scorer.query_weight,
                         attention.scorer.key_weight}) {
      all.push_back(numbers(v.grad()));
      v.zero_grad();
    }
    return all;
  };
  const AttentionOutput whole = attention(query, attention.prepare(keys, mask));
  whole.context.backward(Var(up));
  const auto at_once = gradients();
  const Keys prepared = attention.prepare(keys, mask);
  Var loss;
  for (int64_t t = 0; t < 3; ++t) {
    const AttentionOutput y = attention(select(query, 1, t), prepared);
    check_close(y.context, numbers(Var(whole.context.value().select(1, t))));
    check_close(y.weights.values, numbers(Var(whole.weights.values.value().select(1, t))));
    const Var part = sum(y.context * Var(up.select(1, t)));
    loss = loss.defined() ? loss + part : part;
  }
  loss.backward();
  const auto step_by_step = gradients();
  for (size_t i = 0; i < at_once.size(); ++i)
    for (size_t j = 0; j < at_once[i].size(); ++j)
      CHECK(step_by_step[i][j] == Approx(at_once[i][j]).margin(1e-12));
}

TEST_CASE("attention's parameters have the names of its fields", "[attention]") {
  Generator g;
  Attention attention = additive(3, 4, 5, g);
  std::vector<std::string> names;
  for (const auto& [name, value] : attention.named_parameters()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"scorer.query_weight", "scorer.key_weight", "scorer.v"});
}
