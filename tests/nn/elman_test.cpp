#include "nn/elman.h"

#include "tests/catch.h"
#include "tests/nn/padding.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("an RNN never reads its padding, in both directions and functions", "[elman]") {
  for (ElmanFunction function : {ElmanFunction::tanh, ElmanFunction::relu}) {
    Generator g(3);
    RNN layer(3, 4, {.num_layers = 2, .bidirectional = true}, g, function);
    const PaddedLayer call = [&](const Var& x, const std::vector<int64_t>& lengths) {
      const RNN::Output y = layer(x, lengths);
      return std::vector<Var>{y.output, y.state};
    };
    check_padding_is_never_read(layer, call);
    layer.to(kFloat64);
    check_rows_run_alone(layer, call);
  }
}

TEST_CASE("an RNN's step is tanh of both products", "[elman]") {
  Generator g;
  RNNCell cell(1, 2, true, g);
  cell.weights = {leaf({0.5, -0.5}, {2, 1}), leaf({0.2, 0.1, -0.3, 0.4}, {2, 2}),
                  leaf({0.1, 0}, {2}), leaf({0, -0.2}, {2})};
  // 0.5·0.6 + 0.1 + 0.2·0.5 - 0.1 = 0.4; -0.5·0.6 - 0.2 - 0.3·0.5 - 0.4 = -1.05
  const auto h = cell(leaf({0.6}, {1, 1}), leaf({0.5, -1}, {1, 2})).value().to_vector<double>();
  CHECK(h[0] == Approx(0.379948962255225).epsilon(1e-12));
  CHECK(h[1] == Approx(-0.781806357608774).epsilon(1e-12));
  cell.nonlinearity = ElmanFunction::relu;
  const auto r = cell(leaf({0.6}, {1, 1}), leaf({0.5, -1}, {1, 2})).value().to_vector<double>();
  CHECK(r[0] == Approx(0.4).epsilon(1e-12));
  CHECK(r[1] == 0);
}
