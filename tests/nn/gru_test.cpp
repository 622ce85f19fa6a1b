#include "nn/gru.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/padding.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

// Input 0.6, state [0.5, -1]; rows r, r, z, z, n, n.
RnnWeights small_weights() {
  return {leaf({0.5, -0.5, 1, 0.3, 0.7, -0.2}, {6, 1}),
          leaf({0.2, 0.1, -0.3, 0.4, 0.5, -0.6, 0.1, 0.2, 0.9, -0.8, 0.3, 0.6}, {6, 2}),
          leaf({0.1, 0, -0.1, 0.2, 0.05, 0}, {6}), leaf({0, 0.1, 0, 0, 0.4, -0.3}, {6})};
}

}  // namespace

TEST_CASE("a GRU resets after the recurrent product", "[gru]") {
  Generator g;
  GRU layer(1, 2, {}, g);
  GRUCell cell(1, 2, true, g);
  layer.weights[0] = cell.weights = small_weights();
  const Var h = leaf({0.5, -1}, {1, 2});
  const Var from_layer = layer(leaf({0.6}, {1, 1, 1}), {}, unsqueeze(h, 0)).state;
  for (const Var& y : {from_layer, cell(leaf({0.6}, {1, 1}), h)}) {
    const auto values = y.value().to_vector<double>();
    REQUIRE(values.size() == 2);
    CHECK(values[0] == Approx(0.5817781).margin(1e-7));
    CHECK(values[1] == Approx(-0.7103323).margin(1e-7));
  }
}

TEST_CASE("what stands in a GRU's padding changes nothing by one bit", "[gru]") {
  Generator g(3);
  for (bool second_direction : {false, true}) {
    GRU layer(3, 4, {.num_layers = 2, .bidirectional = second_direction}, g);
    check_padding_is_never_read(layer, [&](const Var& x, const std::vector<int64_t>& lengths) {
      const GRU::Output y = layer(x, lengths);
      return std::vector<Var>{y.output, y.state};
    });
  }
}

TEST_CASE("a padded batch of a GRU equals its rows run alone", "[gru]") {
  Generator g(4);
  GRU layer(3, 4, {.num_layers = 2, .bidirectional = true}, g);
  layer.to(kFloat64);
  check_rows_run_alone(layer, [&](const Var& x, const std::vector<int64_t>& lengths) {
    const GRU::Output y = layer(x, lengths);
    return std::vector<Var>{y.output, y.state};
  });
}

TEST_CASE("a GRU over a sequence equals its cell step by step", "[gru]") {
  Generator g(10);
  GRU layer(3, 70, {}, g);
  GRUCell cell(3, 70, true, g);
  cell.weights = layer.weights[0];
  const Var x(uniform({5, 4, 3}, -1, 1, kFloat32, g));
  const Tensor whole = layer(x).output.value();
  Var h;
  for (int64_t t = 0; t < 5; ++t) {
    h = cell(select(x, 0, t), h);
    const auto want = h.value().to_vector<float>(), got = whole.select(0, t).to_vector<float>();
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-6));
  }
}
