// Hand-worked numbers where gradients and values are easily wrong: ties, repeated places, products
// with zeros, overflow, empty axes.
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/autograd.h"
#include "tensor/ops.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Var ids(std::vector<int64_t> values, const Shape& shape) {
  return Var(Tensor::from(values, shape));
}

// Runs y backward with the given upstream gradient.
void send(const Var& y, std::vector<double> upstream) {
  y.backward(Var(Tensor::from(upstream, y.shape()).to(y.dtype())));
}

void check_near(const std::vector<double>& got, const std::vector<double>& want,
                double tolerance = 1e-6) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("element " << i);
    CHECK(got[i] == Approx(want[i]).epsilon(tolerance).margin(tolerance));
  }
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("B02: reading a place several times adds up its gradients", "[ops]") {
  const Var x = leaf({10, 20, 30});
  send(index_select(x, 0, ids({2, 0, 2, 2}, {4})), {1, 2, 4, 8});
  CHECK(numbers(x.grad()) == Numbers{2, 0, 13});
  const Var y = leaf({10, 20, 30});
  send(gather(y, 0, ids({2, 0, 2, 2}, {4})), {1, 2, 4, 8});
  CHECK(numbers(y.grad()) == Numbers{2, 0, 13});

  const Var table = leaf({1, 2, 3, 4, 5, 6}, {3, 2});
  send(embedding(ids({1, 1, 0, 1}, {2, 2}), table), {1, 10, 2, 20, 3, 30, 4, 40});
  CHECK(numbers(table.grad()) == Numbers{3, 30, 7, 70, 0, 0});
}

TEST_CASE("B02: writing a place several times counts it once", "[ops]") {
  const Var base = leaf({1, 1, 1, 1}), v = leaf({5}, {});
  const Var y = index_fill(base, 0, ids({3, 3, 1}, {3}), v);
  CHECK(numbers(y) == Numbers{1, 5, 1, 5});
  send(y, {1, 2, 3, 4});
  CHECK(v.grad().item() == 6);
  CHECK(numbers(base.grad()) == Numbers{1, 0, 3, 0});
}

TEST_CASE("B02: the padding row is read but gets no gradient", "[ops]") {
  const Var table = leaf({7, 8, 1, 2, 3, 4}, {3, 2});
  const Var y = embedding(ids({0, 2, 0, 1}, {4}), table, 0);
  CHECK(numbers(y) == Numbers{7, 8, 3, 4, 7, 8, 1, 2});
  sum(y).backward();
  CHECK(numbers(table.grad()) == Numbers{0, 0, 1, 1, 1, 1});

  // The same through the differentiable backward.
  const Var again = leaf({7, 8, 1, 2, 3, 4}, {3, 2});
  const Var g = grad({sum(embedding(ids({0, 2, 0, 1}, {4}), again, 0))}, {again}, {},
                     {.create_graph = true})[0];
  CHECK(numbers(g) == Numbers{0, 0, 1, 1, 1, 1});
}

TEST_CASE("B02: an index outside is named, and nothing is written", "[ops]") {
  const Var table = leaf({1, 2, 3, 4, 5, 6}, {3, 2});
  for (int64_t bad : {3, -1, -4})
    CHECK_THROWS_WITH(embedding(ids({0, bad}, {2}), table),
                      ContainsSubstring(std::to_string(bad) + ", should be in [0, 2]"));
  const Tensor target = Tensor::zeros({3}, kFloat64);
  CHECK_THROWS_AS(index_add_(target, 0, Tensor::from<int64_t>({0, 3}), Tensor::ones({2}, kFloat64)),
                  Error);
  CHECK(target.to_vector<double>() == Numbers{0, 0, 0});
}

TEST_CASE("B03: tied values split their gradient evenly, an index takes it whole", "[ops]") {
  const Numbers x{3, 7, 7, 1, 2, 2, 2, 2};
  const Var a = leaf(x, {2, 4});
  send(amax(a, {1}), {6, 8});
  CHECK(numbers(a.grad()) == Numbers{0, 3, 3, 0, 2, 2, 2, 2});
  const Var b = leaf(x, {2, 4});
  send(max(b, 1).values, {6, 8});
  CHECK(numbers(b.grad()) == Numbers{0, 6, 0, 0, 8, 0, 0, 0});
  const Var c = leaf({-3, -7, -7, -1, -2, -2, -2, -2}, {2, 4});
  send(amin(c, {1}), {6, 8});
  CHECK(numbers(c.grad()) == Numbers{0, 3, 3, 0, 2, 2, 2, 2});
  const Var d = leaf({-3, -7, -7, -1, -2, -2, -2, -2}, {2, 4});
  send(min(d, 1).values, {6, 8});
  CHECK(numbers(d.grad()) == Numbers{0, 6, 0, 0, 8, 0, 0, 0});

  const Var near = leaf({1.000, 1.004});
  amax(near).backward();
  CHECK(numbers(near.grad()) == Numbers{0, 1});
  CHECK(argmax(leaf({2, 5, 5}), 0).item() == 1);
  CHECK(argmin(leaf({5, 2, 2}), 0).item() == 1);
}

TEST_CASE("B03: maximum and minimum of equal numbers", "[ops]") {
  const Var a = leaf({1, 4, 2}), b = leaf({1, 3, 5});
  send(maximum(a, b), {10, 20, 30});
  CHECK(numbers(a.grad()) == Numbers{5, 20, 0});
  CHECK(numbers(b.grad()) == Numbers{5, 0, 30});
  const Var c = leaf({1, 4, 2}), d = leaf({1, 3, 5});
  send(minimum(c, d), {10, 20, 30});
  CHECK(numbers(c.grad()) == Numbers{5, 0, 30});
  CHECK(numbers(d.grad()) == Numbers{5, 20, 0});
}

TEST_CASE("B03: a NaN is not lost", "[ops]") {
  const Var x = leaf({1, kNaN, 3});
  CHECK(std::isnan(amax(x).item()));
  CHECK(std::isnan(amin(x).item()));
  CHECK(std::isnan(max(x, 0).values.item()));
  CHECK(max(x, 0).indices.item() == 1);
  CHECK(min(x, 0).indices.item() == 1);
  CHECK(std::isnan(numbers(maximum(x, 2.0))[1]));
  CHECK(std::isnan(numbers(minimum(2.0, x))[1]));
  CHECK(std::isnan(numbers(relu(x))[1]));
  CHECK(std::isnan(numbers(clamp(x, 0, 1))[1]));
  CHECK(std::isnan(logsumexp(leaf({kInf, kNaN, 1}), 0).item()));
  CHECK(std::isnan(logsumexp(leaf({-kInf, kNaN, -kInf}), 0).item()));
}

TEST_CASE("kinks have the documented slopes", "[ops]") {
  const auto slope = [](const Var& x, const Var& y) {
    sum(y).backward();
    return numbers(x.grad());
  };
  Var x = leaf({0, -0.0});
  CHECK(slope(x, relu(x)) == Numbers{0, 0});
  x = leaf({0, -0.0});
  CHECK(slope(x, abs(x)) == Numbers{0, 0});
  x = leaf({0});
  CHECK(slope(x, leaky_relu(x, 0.1)) == Numbers{0.1});
  x = leaf({0});
  CHECK(slope(x, elu(x, 2)) == Numbers{2});
  x = leaf({-1, 2});
  CHECK(slope(x, clamp(x, -1, 2)) == Numbers{1, 1});
  x = leaf({0});
  CHECK(slope(x, pow(x, 0.0)) == Numbers{0});
  x = leaf({0});
  CHECK(slope(x, pow(x, 1.0)) == Numbers{1});
  CHECK(numbers(clamp(leaf({-5, 0, 5}), 2, -2)) == Numbers{-2, -2, -2});
}

TEST_CASE("B07: products with zeros", "[ops]") {
  Var x = leaf({3, 0, 5, 2});
  send(cumprod(x, 0), {1, 10, 100, 1000});
  CHECK(numbers(x.grad()) == Numbers{1, 31530, 0, 0});
  x = leaf({0, 4, 0, 2});
  send(cumprod(x, 0), {1, 1, 1, 1});
  CHECK(numbers(x.grad()) == Numbers{5, 0, 0, 0});
  x = leaf({3, 0, 5});
  prod(x).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 15, 0});
  x = leaf({0, 0, 5});
  prod(x).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 0, 0});
  x = leaf({2, 0, 3, 0, 0, 7}, {2, 3});
  send(prod(x, {1}), {1, 1});
  CHECK(numbers(x.grad()) == Numbers{0, 6, 0, 0, 0, 0});
}

TEST_CASE("B09: softmax of large logits in float32", "[ops]") {
  const Var x = leaf({-500, 300, 310}, {1, 3}, kFloat32);
  const Var p = softmax(x, 1);
  check_near(numbers(p), {0, 4.53979e-5, 0.9999546});
  const Var loss = -select(select(log_softmax(x, 1), 0, 0), 0, 0);
  CHECK(loss.item() == Approx(810.0000).epsilon(1e-6));
  loss.backward();
  check_near(numbers(x.grad()), {-1, 4.53979e-5, 0.9999546});
  CHECK(logsumexp(leaf({1000, 1000}), 0).item() == Approx(1000.6931471805599));
  CHECK(logsumexp(leaf({-1000, -1000}), 0).item() == Approx(-999.3068528194401));
}

TEST_CASE("B09: logsumexp of infinities", "[ops]") {
  const Var x = leaf({-kInf, -kInf});
  const Var y = logsumexp(x, 0);
  CHECK(y.item() == -kInf);
  y.backward();
  CHECK(numbers(x.grad()) == Numbers{0, 0});
  CHECK(logsumexp(leaf({kInf, 1}), 0).item() == kInf);
  const Var some = leaf({-kInf, 0, 0});
  logsumexp(some, 0).backward();
  check_near(numbers(some.grad()), {0, 0.5, 0.5}, 1e-15);
}

TEST_CASE("B09: saturated functions have finite values and slopes", "[ops]") {
  for (DType dtype : {kFloat32, kFloat64}) {
    const auto both = [&](Var (*f)(In), const Numbers& x, const Numbers& y, const Numbers& slope) {
      const Var at = leaf(x, {static_cast<int64_t>(x.size())}, dtype);
      const Var value = f(at);
      check_near(numbers(value), y);
      sum(value).backward();
      check_near(numbers(at.grad()), slope);
    };
    const Numbers far{-200, 0, 200};
    both([](In x) { return softplus(x); }, far, {0, 0.6931472, 200}, {0, 0.5, 1});
    both(logsigmoid, far, {-200, -0.6931472, 0}, {1, 0.5, 0});
    both(sigmoid, {-100, 100}, {0, 1}, {0, 0});
    both(tanh, {-100, 100}, {-1, 1}, {0, 0});
    both(silu, far, {0, 0, 200}, {0, 0.5, 1});
    both([](In x) { return elu(x); }, far, {-1, 0, 200}, {0, 1, 1});
    both([](In x) { return gelu(x); }, far, {0, 0, 200}, {0, 0.5, 1});
    both([](In x) { return gelu(x, GeluKind::tanh); }, far, {0, 0, 200}, {0, 0.5, 1});
    both(erf, {-30, 30}, {-1, 1}, {0, 0});
    both(expm1, {-200, 0}, {-1, 0}, {0, 1});
  }
  const auto at = [](Var (*f)(In), double x) { return f(leaf({x})).item(); };
  CHECK(at(sigmoid, kInf) == 1);
  CHECK(at(sigmoid, -kInf) == 0);
  CHECK(at(tanh, -kInf) == -1);
  CHECK(at(logsigmoid, -kInf) == -kInf);
  CHECK(at(logsigmoid, kInf) == 0);
  CHECK(at([](In x) { return softplus(x); }, kInf) == kInf);
  CHECK(at([](In x) { return softplus(x); }, -kInf) == 0);
  CHECK(at(relu, kInf) == kInf);
  CHECK(at([](In x) { return elu(x); }, -kInf) == -1);
  CHECK(at([](In x) { return gelu(x); }, kInf) == kInf);
}

TEST_CASE("B18: products without rows, columns or anything between", "[ops]") {
  const Var a = leaf({}, {2, 0}), b = leaf({}, {0, 3});
  const Var y = matmul(a, b);
  CHECK(y.shape() == Shape{2, 3});
  CHECK(numbers(y) == Numbers(6, 0.0));
  send(y, Numbers(6, 1.0));
  CHECK(a.grad().shape() == Shape{2, 0});
  CHECK(b.grad().shape() == Shape{0, 3});

  const Var x = leaf({}, {4, 0}), weight = leaf({}, {3, 0}), bias = leaf({1, 2, 3});
  const Var z = linear(x, weight, bias);
  CHECK(numbers(z) == Numbers{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  sum(z).backward();
  CHECK(numbers(bias.grad()) == Numbers{4, 4, 4});
  CHECK(x.grad().shape() == Shape{4, 0});
  CHECK(weight.grad().shape() == Shape{3, 0});
}

TEST_CASE("B18: reductions of nothing", "[ops]") {
  const Var z = leaf({}, {0, 3});
  CHECK(sum(z).item() == 0);
  CHECK(numbers(sum(z, {0})) == Numbers{0, 0, 0});
  CHECK(sum(z, {1}).shape() == Shape{0});
  CHECK(prod(z).item() == 1);
  CHECK(std::isnan(mean(z).item()));
  CHECK_THROWS_AS(amax(z), Error);
  CHECK_THROWS_AS(argmax(z, 0), Error);
  CHECK_THROWS_AS(max(z, 0), Error);
  CHECK(amax(z, {1}).shape() == Shape{0});
  CHECK(max(z, 1).values.shape() == Shape{0});
  CHECK(softmax(z, 0).shape() == Shape{0, 3});
  CHECK(softmax(z, 1).shape() == Shape{0, 3});
  CHECK(cat({z, leaf(Numbers(6, 1.0), {2, 3})}).shape() == Shape{2, 3});
  CHECK_THROWS_WITH(reshape(z, {-1, 0}), ContainsSubstring("ambiguous"));
}

TEST_CASE("B18: gradients of nothing arrive with the right shape", "[ops]") {
  const Var z = leaf({}, {0, 3});
  sum(z * 2.0).backward();
  CHECK(z.grad().shape() == Shape{0, 3});
  const Var x = leaf({1, 2, 3});
  sum(slice(x, 0, 1, 1)).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 0, 0});
  const Var row = leaf({1, 2}, {1, 2});
  sum(expand(row, {0, 2})).backward();
  CHECK(numbers(row.grad()) == Numbers{0, 0});
}

TEST_CASE("B18: one number keeps no axes", "[ops]") {
  const Var x = leaf({5}, {});
  const Var y = x * x;
  CHECK(y.ndim() == 0);
  y.backward();
  CHECK(x.grad().ndim() == 0);
  CHECK(x.grad().item() == 10);
  CHECK_THROWS_AS(Tensor::zeros({int64_t{1} << 32, int64_t{1} << 32}), Error);
  CHECK_THROWS_AS(reshape(leaf({1, 2}), {int64_t{1} << 33, int64_t{1} << 31, 2}), Error);
}

TEST_CASE("the branch that where does not choose gets zero, whatever stands there", "[ops]") {
  const Var a = leaf({1, kNaN, kInf}), b = leaf({kNaN, 2, 3});
  const Var yes(Tensor::from<bool>({true, false, false}));
  const Var y = where(yes, a, b);
  CHECK(numbers(y) == Numbers{1, 2, 3});
  send(y, {kInf, 20, kNaN});
  CHECK(numbers(a.grad()) == Numbers{kInf, 0, 0});
  CHECK(numbers(b.grad())[0] == 0);
  CHECK(numbers(b.grad())[1] == 20);
  CHECK(std::isnan(numbers(b.grad())[2]));
}

TEST_CASE("numbers take the type of the tensor they meet", "[ops]") {
  const Var single = leaf({1, 2}, {2}, kFloat32);
  const Var yes(Tensor::from<bool>({true, false}));
  CHECK((single * 2.0).dtype() == kFloat32);
  CHECK((Var(2.0) * Var(3.0) * single).dtype() == kFloat32);
  CHECK((single * where(yes, 1.0, 0.5)).dtype() == kFloat32);
  CHECK(masked_fill(single, yes, -1).dtype() == kFloat32);
  const Var whole(Tensor::from<int64_t>({1, 2}));
  CHECK((whole + 1.0).dtype() == kInt64);
  CHECK_THROWS_WITH(whole + 0.5, ContainsSubstring("0.5"));
}

TEST_CASE("what does not fit an integer is refused, or becomes the smallest one", "[ops]") {
  const Var whole(Tensor::from<int64_t>({1, 2}));
  for (double bad : {kNaN, kInf, -kInf, 1e19}) {
    CHECK_THROWS_AS(Tensor::full({2}, bad, kInt64), Error);
    CHECK_THROWS_AS(whole + bad, Error);
    CHECK_THROWS_AS(whole.value().add_(whole.value(), bad), Error);
  }
  CHECK(Tensor::from({kNaN, 1e300, -kInf, -2.7, 3.9}).to(kInt64).to_vector<int64_t>() ==
        std::vector<int64_t>{INT64_MIN, INT64_MIN, INT64_MIN, -2, 3});
  CHECK_THROWS_WITH(logsumexp(whole, 0), ContainsSubstring("got int64"));
}

TEST_CASE("lists know the line of their caller", "[ops]") {
  const Var x = leaf({1, -1});
  const auto error_of = [](const auto& call) -> std::string {
    const DetectAnomaly watch;
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const Var bad = log(x);
  const int line = __LINE__ + 1;
  const std::string joined = error_of([&] { cat({x, bad}); });
  CHECK_THAT(joined, ContainsSubstring(text("op cat, called at ", __FILE__, ":", line)));
  const int next = __LINE__ + 1;
  const std::string stacked = error_of([&] { stack({x, bad}); });
  CHECK_THAT(stacked, ContainsSubstring(text(__FILE__, ":", next)));
}

TEST_CASE("a weight used several times gets one gradient, the sum of all uses", "[ops]") {
  const Var weight = leaf({1, 2, 3, 4}, {2, 2}), x = leaf({1, 10}, {1, 2}),
            y = leaf({100, 1000}, {1, 2});
  (sum(linear(x, weight)) + sum(matmul(y, weight)) + sum(linear(y, weight, leaf({0, 0}))))
      .backward();
  // x and y under linear add to both rows; y under matmul is the transpose: rows 100 and 1000.
  CHECK(numbers(weight.grad()) == Numbers{101 + 100, 1010 + 100, 101 + 1000, 1010 + 1000});
}
