#include "nn/lstm.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/nn/padding.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// One unit, one input, gates i, f, g, o; numbers worked out by hand elsewhere.
struct SmallLstm {
  Generator generator;
  LSTM layer{1, 1, {}, generator};
  Var x = leaf({1, -2}, {2, 1, 1}), h = leaf({0.25}, {1, 1, 1}), c = leaf({-0.5}, {1, 1, 1});

  SmallLstm() {
    RnnWeights& w = layer.weights[0];
    w.weight_ih = leaf({0.5, -0.3, 0.8, 0.2}, {4, 1});
    w.weight_hh = leaf({0.1, 0.4, -0.6, 0.3}, {4, 1});
    w.bias_ih = leaf({0, 1, 0, 0.1}, {4});
    w.bias_hh = leaf({0, 0, 0, 0}, {4});
  }
  LSTM::Output run() { return layer(x, {}, {h, c}); }
};

}  // namespace

TEST_CASE("an LSTM of one unit gives the numbers worked out by hand", "[lstm]") {
  SmallLstm small;
  const LSTM::Output y = small.run();
  check_close(y.output, {0.0084166, -0.0989151});
  check_close(y.state.c, {-0.2364078});
  check_close(y.state.h, {-0.0989151});
}

TEST_CASE("gradients flow in from the last cell alone", "[lstm]") {
  SmallLstm small;
  small.run().state.c.backward();
  const RnnWeights& w = small.layer.weights[0];
  check_close(small.x.grad(), {0.3532200, -0.0592034});
  check_close(small.h.grad(), {-0.2288658});
  check_close(small.c.grad(), {0.5574573});
  check_close(w.weight_hh.grad(), {0.0254389, -0.0215866, 0.0857730, -0.0000355});
  check_close(w.bias_ih.grad(), {-0.0735665, -0.0844325, 0.3818731, -0.0001420});
  check_close(w.bias_hh.grad(), {-0.0735665, -0.0844325, 0.3818731, -0.0001420});
}

TEST_CASE("gradients flow in from the last state and an output together", "[lstm]") {
  SmallLstm small;
  const LSTM::Output y = small.run();
  (sum(y.state.h) + 2.0 * sum(select(y.output, 0, 0))).backward();
  check_close(small.x.grad(), {0.6575211, -0.0352238});
  check_close(small.h.grad(), {-0.4230259});
  check_close(small.c.grad(), {1.0354990});
}

TEST_CASE("what stands in an LSTM's padding changes nothing by one bit", "[lstm]") {
  Generator g(3);
  for (bool second_direction : {false, true}) {
    LSTM layer(3, 4, {.num_layers = 2, .bidirectional = second_direction}, g);
    check_padding_is_never_read(layer, [&](const Var& x, const std::vector<int64_t>& lengths) {
      const LSTM::Output y = layer(x, lengths);
      return std::vector<Var>{y.output, y.state.h, y.state.c};
    });
  }
}

TEST_CASE("a padded batch of an LSTM equals its rows run alone", "[lstm]") {
  Generator g(4);
  LSTM layer(3, 4, {.num_layers = 2, .bidirectional = true}, g);
  layer.to(kFloat64);
  check_rows_run_alone(layer, [&](const Var& x, const std::vector<int64_t>& lengths) {
    const LSTM::Output y = layer(x, lengths);
    return std::vector<Var>{y.output, y.state.h, y.state.c};
  });
}

TEST_CASE("a row of length 0 keeps its initial state", "[lstm]") {
  Generator g(5);
  LSTM layer(2, 3, {.bidirectional = true}, g);
  const Var x(uniform({4, 2, 2}, -1, 1, kFloat32, g));
  const Var h(uniform({2, 2, 3}, -1, 1, kFloat32, g), true);
  const Var c(uniform({2, 2, 3}, -1, 1, kFloat32, g), true);
  const LSTM::Output y = layer(x, {4, 0}, {h, c});
  const auto row = [](const Var& state) {
    return state.value().select(1, 1).contiguous().to_vector<float>();
  };
  CHECK(row(y.state.h) == row(h));
  CHECK(row(y.state.c) == row(c));
  CHECK(row(y.output) == std::vector<float>(4 * 6, 0.0f));
  y.state.h.backward(Var(Tensor::ones({2, 2, 3})));
  CHECK(row(h.grad()) == std::vector<float>(6, 1.0f));
}

TEST_CASE("wrong lengths are refused", "[lstm]") {
  Generator g;
  LSTM layer(2, 3, {}, g);
  const Var x(Tensor::zeros({4, 2, 2}));
  CHECK_THROWS_WITH(layer(x, {4}), ContainsSubstring("1 lengths for 2 rows"));
  CHECK_THROWS_WITH(layer(x, {4, 5}), ContainsSubstring("5 in row 1, must be in 0 … 4"));
  CHECK_THROWS_WITH(layer(x, {-1, 4}), ContainsSubstring("-1 in row 0"));
}

TEST_CASE("an LSTM's parameters are named as in PyTorch", "[lstm]") {
  Generator g;
  LSTM layer(3, 4, {.num_layers = 2, .bidirectional = true}, g);
  std::vector<std::string> names;
  for (const auto& [name, value] : layer.named_parameters()) names.push_back(name);
  CHECK(names == std::vector<std::string>{
                     "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0",
                     "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
                     "bias_hh_l0_reverse", "weight_ih_l1", "weight_hh_l1", "bias_ih_l1",
                     "bias_hh_l1", "weight_ih_l1_reverse", "weight_hh_l1_reverse",
                     "bias_ih_l1_reverse", "bias_hh_l1_reverse"});
  CHECK(layer.weights[2].weight_ih.shape() == Shape{16, 8});
  for (const auto& [name, value] : layer.named_parameters())
    for (float number : value.value().to_vector<float>()) CHECK(std::fabs(number) <= 0.5f);
}

TEST_CASE("forget_bias sets the sum of the forget gate's biases and nothing else", "[lstm]") {
  Generator one(7), two(7);
  LSTM plain(2, 3, {}, one), set(2, 3, {.forget_bias = 1}, two);
  const RnnWeights &a = plain.weights[0], &b = set.weights[0];
  const auto sums = (b.bias_ih.value().to_vector<float>()),
             more = b.bias_hh.value().to_vector<float>();
  for (size_t i = 3; i < 6; ++i) CHECK(sums[i] + more[i] == 1.0f);
  CHECK(a.weight_ih.value().to_vector<float>() == b.weight_ih.value().to_vector<float>());
  CHECK(a.bias_ih.value().to_vector<float>()[0] == sums[0]);
}

TEST_CASE("dropout acts between layers, in training only", "[lstm]") {
  Generator g(8);
  LSTM layer(2, 16, {.num_layers = 2, .dropout = 0.5}, g);
  const Var x(uniform({3, 2, 2}, -1, 1, kFloat32, g));
  const auto run = [&] { return layer(x).output.value().to_vector<float>(); };
  const auto first = run(), second = run();
  CHECK(first != second);
  layer.eval();
  const auto still = run();
  CHECK(still == run());
  CHECK(still != first);
}

TEST_CASE("without recording an LSTM gives the same numbers", "[lstm]") {
  Generator g(9);
  LSTM layer(3, 5, {.bidirectional = true}, g);
  const Var x(uniform({4, 3, 3}, -1, 1, kFloat32, g));
  const auto recorded = layer(x, {4, 1, 2}).output.value().to_vector<float>();
  const NoGrad off;
  const LSTM::Output y = layer(x, {4, 1, 2});
  CHECK(y.output.value().to_vector<float>() == recorded);
  CHECK(!y.output.requires_grad());
}

TEST_CASE("an input changed in place before the backward is noticed", "[lstm]") {
  Generator g(11);
  LSTM layer(3, 2, {}, g);
  const Var x(uniform({4, 2, 3}, -1, 1, kFloat32, g));
  const Var y = sum(layer(x).output);
  x.value().fill_(0);
  CHECK_THROWS_WITH(y.backward(), ContainsSubstring("changed in place"));
}

TEST_CASE("an LSTM over a sequence equals its cell step by step", "[lstm]") {
  Generator g(10);
  LSTM layer(3, 70, {}, g);  // 70: more than a block of columns, not a multiple of a vector
  LSTMCell cell(3, 70, true, g);
  cell.weights = layer.weights[0];
  const Var x(uniform({5, 4, 3}, -1, 1, kFloat32, g));
  const auto whole = layer(x).output.value();
  LstmState state;
  for (int64_t t = 0; t < 5; ++t) {
    state = cell(select(x, 0, t), state);
    const auto want = state.h.value().to_vector<float>();
    const auto got = whole.select(0, t).to_vector<float>();
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-6));
  }
}
