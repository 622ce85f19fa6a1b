#include "nn/init.h"

#include <cmath>

#include "tensor/ops.h"
#include "tests/catch.h"

using namespace glass;

namespace {

Var weight(const Shape& shape) { return Var(Tensor::zeros(shape, kFloat64), true); }

struct Moments {
  double mean, std, largest;
};
Moments moments(const Var& w) {
  double sum = 0, squares = 0, largest = 0;
  for (const double x : w.value().to_vector<double>()) {
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
  const double n = static_cast<double>(w.numel());
  return {sum / n, std::sqrt(squares / n), largest};
}

}  // namespace

// Expected: std² = gain²·2 / (fan_in + fan_out), with fans 100 and 300: 1/200.
TEST_CASE("xavier initialisation", "[init]") {
  Generator generator(1);
  const Var w = weight({300, 100});
  xavier_uniform_(w, generator);
  CHECK(moments(w).std == Approx(0.0707107).epsilon(0.02));
  CHECK(moments(w).largest <= 0.1224745);  // std·√3
  CHECK(moments(w).largest > 0.1222);
  xavier_normal_(w, generator, 2);
  CHECK(moments(w).std == Approx(0.1414214).epsilon(0.02));
  CHECK(moments(w).largest > 0.4);  // not bounded by 2·std·√3 = 0.245
}

// fan_in 50·4 = 200, fan_out 30·4 = 120.
TEST_CASE("kaiming initialisation counts a kernel's field", "[init]") {
  Generator generator(1);
  const Var w = weight({30, 50, 2, 2});
  kaiming_uniform_(w, generator);  // gain √2, fan_in: 0.1
  CHECK(moments(w).std == Approx(0.1).epsilon(0.03));
  CHECK(moments(w).largest <= 0.1732051);
  kaiming_normal_(w, generator, FanMode::fan_out, Nonlinearity::tanh);  // 5/3 / √120
  CHECK(moments(w).std == Approx(0.1521452).epsilon(0.03));
}

TEST_CASE("gains", "[init]") {
  CHECK(gain_of(Nonlinearity::linear) == 1);
  CHECK(gain_of(Nonlinearity::sigmoid) == 1);
  CHECK(gain_of(Nonlinearity::tanh) == Approx(1.6666667));
  CHECK(gain_of(Nonlinearity::relu) == Approx(1.4142136));
  CHECK(gain_of(Nonlinearity::leaky_relu, 0.2) == Approx(1.3867505));
}

TEST_CASE("orthogonal initialisation has orthonormal rows or columns", "[init]") {
  Generator generator(1);
  for (const Shape& shape : {Shape{5, 8}, Shape{8, 5}, Shape{6, 6}, Shape{4, 3, 3}}) {
    INFO(shape);
    const Var w = weight(shape);
    orthogonal_(w, generator, 2);
    const Tensor m = w.value().reshape({shape[0], -1});
    const bool wide = m.size(0) <= m.size(1);
    const Tensor square = wide ? matmul(m, m.transpose(0, 1)) : matmul(m.transpose(0, 1), m);
    for (int64_t i = 0; i < square.size(0); ++i)
      for (int64_t j = 0; j < square.size(1); ++j)
        CHECK(square.at({i, j}) == Approx(i == j ? 4 : 0).margin(1e-12));
  }
}

TEST_CASE("an orthogonal matrix turns either way equally often", "[init]") {
  Generator generator(1);
  int positive = 0;
  for (int i = 0; i < 400; ++i) {
    const Var w = weight({2, 2});
    orthogonal_(w, generator);
    positive += w.value().at({0, 0}) > 0;
  }
  CHECK(positive == Approx(200).margin(60));
}

TEST_CASE("plain initialisation is in place and keeps the type", "[init]") {
  Generator generator(1);
  const Var w(Tensor::zeros({1000}), true);
  uniform_(w, 2, 3, generator);
  CHECK(amin(w.value()).item() >= 2);
  CHECK(amax(w.value()).item() < 3);
  normal_(w, 5, 0, generator);
  CHECK(amin(w.value()).item() == 5);
  constant_(w, -1.5);
  CHECK(w.value().at({999}) == -1.5);
  ones_(w);
  CHECK(w.value().at({0}) == 1);
  zeros_(w);
  CHECK(w.value().at({0}) == 0);
  CHECK(w.dtype() == kFloat32);
  CHECK(!w.grad().defined());
}

TEST_CASE("fans need two dimensions", "[init]") {
  Generator generator(1);
  CHECK_THROWS_WITH(xavier_uniform_(weight({3}), generator),
                    Catch::Matchers::ContainsSubstring("at least two dimensions"));
  CHECK_THROWS_AS(kaiming_normal_(weight({}), generator), Error);
  CHECK_THROWS_AS(orthogonal_(weight({3}), generator), Error);
  xavier_uniform_(weight({0, 0}), generator);
  orthogonal_(weight({0, 4}), generator);
}
