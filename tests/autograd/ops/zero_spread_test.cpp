// Norms and deviations of 0, where a division by them would give NaN.
#include <cmath>

#include "autograd/autograd.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("the norm of zeros is 0 with gradient 0", "[statistics]") {
  for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, double(INFINITY)}) {
    const Var x = leaf({0, 0, 0});
    const Var y = norm(x, p);
    y.backward();
    CHECK(y.item() == 0);
    check_close(x.grad(), {0, 0, 0});
  }
}

TEST_CASE("each row has its own norm", "[statistics]") {
  const Var x(Tensor::from<double>({0, 0, 3, 4}, {2, 2}), true);
  norm(x, 2, {1}).backward(Var(Tensor::from<double>({7, 10})));
  check_close(x.grad(), {0, 0, 6, 8});
}

TEST_CASE("norms do not overflow", "[statistics]") {
  const Var x(Tensor::from<float>({3e25f, 4e25f}));
  CHECK(norm(x).item() == Approx(5e25));
}

TEST_CASE("the deviation of equal numbers is 0 with gradient 0", "[statistics]") {
  const Var equal = leaf({5, 5, 5});
  const Var none = standard_deviation(equal);
  none.backward();
  CHECK(none.item() == 0);
  check_close(equal.grad(), {0, 0, 0});
  const Var x = leaf({1, 3, 8});
  const Var some = standard_deviation(x);
  some.backward();
  CHECK(some.item() == Approx(3.6055513));
  check_close(x.grad(), {-0.4160251, -0.1386750, 0.5547002});
}

TEST_CASE("one number deviates by 0 as a population, by NaN as a sample", "[statistics]") {
  const Var x = leaf({5});
  const Var population = standard_deviation(x, {}, false, 0);
  population.backward();
  CHECK(population.item() == 0);
  check_close(x.grad(), {0});
  x.zero_grad();
  const Var sample = standard_deviation(x);
  sample.backward();
  CHECK(std::isnan(sample.item()));
  CHECK(x.grad().shape() == Shape{1});
}

TEST_CASE("a large mean takes no digits from the variance", "[statistics]") {
  const Var x(Tensor::from<double>({1e9 + 1, 1e9 + 2, 1e9 + 3}));
  CHECK(var(x).item() == 1);
}

TEST_CASE("a vector of zeros is similar to nothing", "[statistics]") {
  const Var zeros = leaf({0, 0, 0}), x = leaf({1, 2, 2});
  const Var y = cosine_similarity(zeros, x, 0);
  y.backward();
  CHECK(y.item() == 0);
  check_close(x.grad(), {0, 0, 0});
}
