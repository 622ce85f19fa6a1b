#include "optim/clip.h"

#include <cmath>

#include "tests/catch.h"

using namespace glass;

namespace {

template <class T>
Var with_gradient(std::vector<T> gradient) {
  const Shape shape{static_cast<int64_t>(gradient.size())};
  const Var p(Tensor::zeros(shape, dtype_of<T>()), true);
  p.set_grad(Var(Tensor::from(gradient, shape)));
  return p;
}
std::vector<double> gradient(const Var& p) {
  return p.grad().value().to(kFloat64).to_vector<double>();
}
using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("the norm is that of all gradients together", "[clip]") {
  const Var a = with_gradient<double>({3, 0}), b = with_gradient<double>({0, 4});
  CHECK(clip_grad_norm_({a, b}, 1) == Approx(5));
  CHECK(gradient(a)[0] == Approx(0.6).epsilon(1e-6));
  CHECK(gradient(b)[1] == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("a norm below the limit changes no bit", "[clip]") {
  const Var a = with_gradient<float>({3.3f, -4.7f});
  clip_grad_norm_({a}, 10);
  CHECK(a.grad().value().to_vector<float>() == std::vector<float>{3.3f, -4.7f});
}

TEST_CASE("gradients of 0 stay 0", "[clip]") {
  const Var a = with_gradient<float>({0, 0});
  CHECK(clip_grad_norm_({a}, 1) == 0);
  CHECK(gradient(a) == Doubles{0, 0});
  CHECK(clip_grad_norm_({}, 1) == 0);
  CHECK(clip_grad_norm_({Var(Tensor::ones({2}), true)}, 1) == 0);
}

TEST_CASE("gradients that are not finite are refused and left as they are", "[clip]") {
  for (const double bad :
       {static_cast<double>(INFINITY), static_cast<double>(-INFINITY), static_cast<double>(NAN)}) {
    for (const double p : {1.0, 2.0, 3.0, static_cast<double>(INFINITY)}) {
      INFO(bad << " norm " << p);
      const Var a = with_gradient<double>({bad, 1}), b = with_gradient<double>({2});
      CHECK_THROWS_AS(clip_grad_norm_({a, b}, 1, p), Error);
      CHECK(!std::isfinite(clip_grad_norm_({a, b}, 1, p, false)));
      CHECK(gradient(a)[1] == 1);
      CHECK(gradient(b)[0] == 2);
    }
  }
}

TEST_CASE("squares may leave the range of the type, and of double", "[clip]") {
  const Var a = with_gradient<float>({3e25f, 4e25f});
  CHECK(clip_grad_norm_({a}, 1) == Approx(5e25));
  CHECK(gradient(a)[0] == Approx(0.6).epsilon(1e-6));
  const Var b = with_gradient<double>({3e200, 4e200});
  CHECK(clip_grad_norm_({b}, 1) == Approx(5e200));
  CHECK(gradient(b)[1] == Approx(0.8).epsilon(1e-6));
  const Var c = with_gradient<double>({3e-200, 4e-200});
  CHECK(clip_grad_norm_({c}, 1) == Approx(5e-200).epsilon(1e-9).margin(0));
}

TEST_CASE("other norms", "[clip]") {
  const Var a = with_gradient<double>({3}), b = with_gradient<double>({-4});
  CHECK(clip_grad_norm_({a, b}, 2, INFINITY) == 4);
  CHECK(gradient(a)[0] == Approx(1.5).epsilon(1e-6));
  CHECK(gradient(b)[0] == Approx(-2).epsilon(1e-6));
  CHECK(clip_grad_norm_({with_gradient<double>({3, -4})}, 100, 1) == Approx(7));
  CHECK(clip_grad_norm_({with_gradient<double>({3, -4, 5})}, 100, 3) == Approx(6));  // 27+64+125
}

TEST_CASE("a gradient with two names counts once", "[clip]") {
  const Var a = with_gradient<double>({3, 4}), same = a;
  CHECK(clip_grad_norm_({a, same}, 1) == Approx(5));
  CHECK(gradient(a)[0] == Approx(0.6).epsilon(1e-6));
}

TEST_CASE("a norm over many elements does not drift", "[clip]") {
  // 2^20 gradients of 0.1 in float32: 0.1·2^10.
  const Var a = with_gradient<float>(std::vector<float>(1 << 20, 0.1f));
  CHECK(clip_grad_norm_({a}, 1000) == Approx(102.4).epsilon(1e-7));
}

TEST_CASE("limits that make no sense are refused", "[clip]") {
  const Var a = with_gradient<double>({3});
  CHECK_THROWS_AS(clip_grad_norm_({a}, -1), Error);
  CHECK_THROWS_AS(clip_grad_norm_({a}, NAN), Error);
  CHECK_THROWS_AS(clip_grad_norm_({a}, 1, 0), Error);
  CHECK_THROWS_AS(clip_grad_value_({a}, -1), Error);
  CHECK(gradient(a)[0] == 3);
}

TEST_CASE("clipping by value", "[clip]") {
  const Var a = with_gradient<double>({3, -0.2, -7, 0.5});
  clip_grad_value_({a}, 0.5);
  CHECK(gradient(a) == Doubles{0.5, -0.2, -0.5, 0.5});
}
