// The code that README.md shows, compiled and run.
#include "tests/catch.h"

// README: a first gradient
#include "autograd/autograd.h"

using namespace glass;

static Tensor first_gradient() {
  Var w(Tensor::from<double>({0.5, -1.0}), true);  // a leaf: its gradient is collected
  Var x(Tensor::from<double>({2.0, 3.0}));
  Var loss = square(tanh(sum(w * x)) - 1.0);  // (tanh(w·x) - 1)²
  loss.backward();
  return w.grad().value();
}
// README: end

TEST_CASE("README: the first gradient") {
  // d/dw (tanh(s) - 1)² = 2 (tanh(s) - 1) (1 - tanh²(s)) x with s = -2
  const double t = std::tanh(-2.0), slope = 2 * (t - 1) * (1 - t * t);
  const Tensor g = first_gradient();
  CHECK(g.at({0}) == Approx(slope * 2).epsilon(1e-12));
  CHECK(g.at({1}) == Approx(slope * 3).epsilon(1e-12));
}
