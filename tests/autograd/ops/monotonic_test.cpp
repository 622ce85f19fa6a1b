#include "autograd/ops/monotonic.h"

#include "autograd/autograd.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

double mass(const Var& alpha) { return sum(alpha).item(); }

Var p_of(double p, int64_t steps, int64_t keys, DType dtype = kFloat64) {
  return Var(Tensor::full({1, steps, keys}, p, dtype));
}

Var at_key(int64_t key, int64_t keys, DType dtype = kFloat64) {
  const Tensor x = Tensor::zeros({1, keys}, dtype);
  x.narrow(1, key, 1).fill_(1);
  return Var(x);
}

}  // namespace

// Step 1 scans from key 0: 0.5, then 0.5·0.4, then 0.5·0.6·1. Step 2 starts there:
// q = (0.5, 0.5·0.8 + 0.2, 0.6·0.5 + 0.3).
TEST_CASE("two monotonic steps, by hand", "[monotonic]") {
  const Var p = leaf({0.5, 0.4, 1, 0.2, 0.5, 0.1}, {1, 2, 3});
  const Var previous = leaf({1, 0, 0}, {1, 3});
  const Var alpha = monotonic_attention(p, previous);
  check_close(alpha, {0.5, 0.2, 0.3, 0.1, 0.3, 0.06});
  // y = α of the last step at the last key = 0.1·(q_1·(1 - 0.5) + 0.3): see above.
  alpha.backward(Var(Tensor::from({0., 0., 0., 0., 0., 1.}, {1, 2, 3})));
  // dq_2 = (0.1·0.5·0.8, 0.1·0.5, 0.1) = dα_1; then step 1 the same way.
  const std::vector<double> da{0.04, 0.05, 0.1};
  const double q1 = 0.5, dq2 = 1 * da[2], dq1 = 0.4 * da[1] + 0.6 * dq2;
  check_close(previous.grad(), {0.5 * da[0] + 0.5 * dq1, dq1, dq2});
  check_close(p.grad(),
              {da[0] - dq1, q1 * (da[1] - dq2), 0.3 * da[2], 0.5 * -0.05, 0.6 * -0.1, 0.6});
}

// With p = 1/2 throughout, a step lands k keys further with probability 2^-(k+1); where step i is
// after i steps from key 0 has the negative binomial law: C(i - 1 + k, k)·2^-(i + k).
TEST_CASE("even chances give the negative binomial law", "[monotonic]") {
  const Var alpha = monotonic_attention(p_of(0.5, 3, 6), at_key(0, 6));
  std::vector<double> want;
  for (int i = 1; i <= 3; ++i) {
    double choose = 1;  // C(i - 1 + k, k)
    for (int k = 0; k < 6; ++k) {
      want.push_back(choose * std::pow(0.5, i + k));
      choose = choose * (i + k) / (k + 1);
    }
  }
  check_close(alpha, want);
}

TEST_CASE("p = 1 stays, p = 0 passes by", "[monotonic]") {
  const Var stay = monotonic_attention(p_of(1, 3, 4), at_key(2, 4));
  CHECK(numbers(stay) == std::vector<double>{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0});
  CHECK(numbers(monotonic_attention(p_of(0, 2, 3), at_key(0, 3))) == std::vector<double>(6));
  // A wall of zeros, then a certain stop: all arrives, and the gradient of the wall is finite.
  const Var p = leaf({0, 0, 0, 1, 0}, {1, 1, 5});
  const Var alpha = monotonic_attention(p, at_key(0, 5));
  CHECK(numbers(alpha) == std::vector<double>{0, 0, 0, 1, 0});
  sum(alpha * Var(Tensor::from({1., 2., 3., 4., 5.}, {1, 1, 5}))).backward();
  // Stopping at key j instead of key 3 changes the value by j + 1 - 4; past key 3 nothing comes.
  check_close(p.grad(), {1 - 4, 2 - 4, 3 - 4, 4, 0});
}

// The parallel formula of the paper loses the mass here (0.009 of it is left).
TEST_CASE("no mass is lost far down a long input", "[monotonic]") {
  for (DType dtype : {kFloat32, kFloat64}) {
    const Var alpha = monotonic_attention(p_of(0.5, 1, 400, dtype), at_key(100, 400, dtype));
    CHECK(mass(alpha) == Approx(1).epsilon(1e-6));
    CHECK(alpha.value().at({0, 0, 100}) == Approx(0.5));
  }
}

TEST_CASE("a step at a time is the whole sequence", "[monotonic]") {
  Generator g(3);
  const Var p(uniform({2, 4, 5}, 0, 1, kFloat64, g), true);
  const Var previous(uniform({2, 5}, 0, 1, kFloat64, g), true);
  const Var up(uniform({2, 4, 5}, -1, 1, kFloat64, g));
  const Var whole = monotonic_attention(p, previous);
  whole.backward(up);
  const std::vector<Var> wanted{p.grad(), previous.grad()};
  for (const Var& v : {p, previous}) v.zero_grad();
  Var before = previous;
  std::vector<Var> rows;
  for (int64_t i = 0; i < 4; ++i) {
    rows.push_back(monotonic_attention(narrow(p, 1, i, 1), before));
    before = squeeze(rows.back(), 1);
  }
  const Var steps = cat(rows, 1);
  CHECK(numbers(steps) == numbers(whole));
  steps.backward(up);
  check_close(p.grad(), numbers(wanted[0]));
  check_close(previous.grad(), numbers(wanted[1]));
}
