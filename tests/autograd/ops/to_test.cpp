#include "autograd/autograd.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("a conversion hands its gradient back in the input's type", "[ops]") {
  const Var x(Tensor::from<float>({1, 2}), true);
  const Var wide = to(x, kFloat64);
  CHECK(wide.dtype() == kFloat64);
  sum(square(wide)).backward();
  CHECK(x.grad().dtype() == kFloat32);
  CHECK(numbers(x.grad()) == std::vector<double>{2, 4});
  // And of second order: d²(x³) = 6x.
  const Var dx =
      grad({sum(to(x, kFloat64) * square(to(x, kFloat64)))}, {x}, {}, {.create_graph = true})[0];
  CHECK(numbers(grad({sum(dx)}, {x})[0]) == std::vector<double>{6, 12});
}

TEST_CASE("a sum in float64 of float32 keeps its digits", "[ops]") {
  const Var x(Tensor::from<float>({1e8f, 1, -1e8f}), true);
  CHECK(sum(to(x, kFloat64)).item() == 1);
}

TEST_CASE("whole numbers and truth values have no gradient", "[ops]") {
  const Var x = leaf({-1.5, 0, 2.9});
  CHECK(numbers(to(x, kInt64)) == std::vector<double>{-1, 0, 2});
  CHECK(numbers(to(x, kBool)) == std::vector<double>{1, 0, 1});
  CHECK(!to(x, kInt64).requires_grad());
  CHECK(!to(x, kBool).requires_grad());
  CHECK(!to(Var(Tensor::from<int64_t>({1})), kFloat32).requires_grad());
}
