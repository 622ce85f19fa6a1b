#include "autograd/gradcheck.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var random_leaf(const Shape& shape, Generator& generator, double low = -2, double high = 2) {
  return Var(uniform(shape, low, high, kFloat64, generator), true);
}

// Applies f to the first input.
Function on_first(Var (*f)(const Var&)) {
  return [f](const Vars& x) { return Vars{f(x[0])}; };
}

// A smooth function of a random tree of ops, of all the leaves.
Var random_function(const Vars& leaves, uint64_t seed) {
  Generator generator(seed);
  Var y = leaves[0];
  for (int k = 0; k < 5; ++k) {
    const Var& w = leaves[static_cast<size_t>(generator.draw_int(2))];
    switch (generator.draw_int(13)) {
      case 0:
        y = tanh(y) * w;
        break;
      case 1:
        y = sigmoid(y) + w;
        break;
      case 2:
        y = softmax(y, generator.draw_int(2)) * w;
        break;
      case 3:
        y = matmul(y, transpose(w, 0, 1));
        break;
      case 4:
        y = exp(y * 0.2);
        break;
      case 5:
        y = log(square(y) + 1.5);
        break;
      case 6:
        y = y - logsumexp(w, 1, true);
        break;
      case 7:
        y = y / (square(w) + 1.0);
        break;
      case 8:
        y = cat({narrow(y, 0, 1, 2), narrow(w, 0, 0, 1)}, 0);
        break;
      case 9:
        y = transpose(y, 0, 1) * 0.7;
        break;
      case 10:
        y = y + mean(y, {0}) * w;
        break;
      case 11:
        y = gelu(y);
        break;
      default:
        y = sin(y) - select(w, 0, 1);
        break;
    }
  }
  return y + leaves[1] * leaves[2];
}

}  // namespace

TEST_CASE("right derivatives pass", "[gradcheck]") {
  Generator generator(1);
  const auto passes = [&](const char* name, const Function& f, const Vars& inputs) {
    const GradReport report = check(f, inputs, {.name = name});
    INFO(report.text());
    CHECK(report.ok());
    CHECK(report.first.checked);
    CHECK(report.second.checked);
    CHECK(report.first.precision < 1e-8);
    CHECK(report.first.smallest_gradient > 0);
  };
  passes("tanh", on_first([](const Var& x) { return tanh(x); }), {random_leaf({3, 4}, generator)});
  passes("sum", on_first([](const Var& x) { return sum(x); }), {random_leaf({3, 4}, generator)});
  passes("0-d", on_first([](const Var& x) { return x * x; }), {leaf(5)});
  passes("matmul", [](const Vars& x) { return Vars{matmul(x[0], x[1])}; },
         {random_leaf({3, 4}, generator), random_leaf({4, 2}, generator)});
  passes("broadcast", [](const Vars& x) { return Vars{x[0] * x[1] / x[2]}; },
         {random_leaf({3, 4}, generator), random_leaf({4}, generator),
          random_leaf({3, 1}, generator, 0.5, 3)});
  passes("two outputs",
         [](const Vars& x) {
           return Vars{exp(x[0]), x[0] * x[1]};
         },
         {random_leaf({3}, generator), random_leaf({3}, generator)});
  passes("steep", on_first([](const Var& x) { return 1.0 / x; }), {leaf({0.01, 0.02, 500})});
  passes("large values", on_first([](const Var& x) { return x * 1e8 + 1e10; }), {leaf({1, -2})});
  passes("small values", on_first([](const Var& x) { return tanh(x) * 1e-9; }), {leaf({1, -2})});
}

static void raise_no_alarm(uint64_t begin, uint64_t end) {
  for (uint64_t seed = begin; seed < end; ++seed) {
    Generator generator(seed);
    const Vars leaves{random_leaf({3, 3}, generator), random_leaf({3, 3}, generator),
                      random_leaf({3, 3}, generator)};
    const GradReport report = check(
        [seed](const Vars& x) { return Vars{random_function(x, seed)}; }, leaves, {.seed = seed});
    INFO("seed " << seed << "\n" << report.text());
    REQUIRE(report.first.verdict == Verdict::pass);  // an input may be left out by chance
    REQUIRE((report.ok() || !report.first.idle.empty()));
    REQUIRE((report.first.mismatches.empty() && report.second.mismatches.empty()));
  }
}

TEST_CASE("hundreds of random functions raise no alarm", "[gradcheck]") { raise_no_alarm(0, 300); }

TEST_CASE("ten thousand random functions raise no alarm", "[.slow][gradcheck]") {
  raise_no_alarm(300, 10300);
}

TEST_CASE("x³ at 3 has slope 27 in double", "[gradcheck]") {
  const auto wrong = [](const Vars& x) {  // x³ whose gradient is that of x²·(the value of x)
    return Vars{x[0].detach() * x[0] * x[0]};
  };
  const GradReport report = check(wrong, {leaf(3)});
  REQUIRE(report.first.mismatches.size() == 1);
  CHECK(report.first.mismatches[0].numeric / report.first.mismatches[0].analytic ==
        Approx(27.0 / 18).epsilon(1e-9));
}

TEST_CASE("single precision is refused, going in or coming out", "[gradcheck]") {
  const Function twice = on_first([](const Var& x) { return x * 2.0; });
  CHECK_THROWS_WITH(check(twice, {Var(Tensor::ones({2}), true)}),
                    ContainsSubstring("to(kFloat64)"));
  CHECK_THROWS_WITH(
      check([](const Vars& x) { return Vars{Var(x[0].value().to(kFloat32))}; }, {leaf({1, 2})}),
      ContainsSubstring("float32"));
}

TEST_CASE("a kink is neither right nor wrong", "[gradcheck]") {
  const auto verdict = [](const Function& f, const Vars& inputs) {
    const GradReport report = check(f, inputs);
    INFO(report.text());
    CHECK(!report.ok());
    CHECK_THAT(report.text(), ContainsSubstring("slopes"));
    return report.verdict;
  };
  const Function f = on_first([](const Var& x) { return relu(x); });
  CHECK(verdict(f, {leaf(0)}) == Verdict::kink);
  CHECK(verdict(f, {leaf({1, 0, -1})}) == Verdict::kink);
  CHECK(verdict(on_first([](const Var& x) { return abs(x); }), {leaf({2, 0})}) == Verdict::kink);
  CHECK(verdict(on_first([](const Var& x) { return clamp(x, -1, 1); }), {leaf({0.5, 1})}) ==
        Verdict::kink);
  CHECK(verdict(on_first([](const Var& x) { return amax(x, {0}); }), {leaf({3, 1, 3})}) ==
        Verdict::kink);
  CHECK(verdict(on_first([](const Var& x) { return max(x, 0).values; }), {leaf({3, 1, 3})}) ==
        Verdict::kink);
  CHECK(verdict([](const Vars& x) { return Vars{maximum(x[0], x[1])}; },
                {leaf({1, 4, 2}), leaf({1, 3, 5})}) == Verdict::kink);
}

TEST_CASE("a kink beside the sample does no harm", "[gradcheck]") {
  const Function f = on_first([](const Var& x) { return relu(x) * x + relu(-x); });
  for (double near : {3e-4, 5e-5, 7e-6, -2e-6}) {
    const GradReport report = check(f, {leaf({1.5, near, -1})});
    INFO(near << "\n" << report.text());
    CHECK(report.ok());
  }
}

TEST_CASE("a kink does not hide a wrong derivative", "[gradcheck]") {
  const auto off_elsewhere = [](const Vars& x) {
    return Vars{relu(x[0]) + x[0].detach() * x[0]};  // lacks half of the slope of x²
  };
  CHECK(check(off_elsewhere, {leaf({0, 1, 2})}).verdict == Verdict::fail);
  const auto off_at_kink = [](const Vars& x) {  // slope 3 at 0, between neither 0 and 1
    return Vars{relu(x[0]) + (x[0] - x[0].detach()) * 3.0};
  };
  const GradReport report = check(off_at_kink, {leaf({0, 1})});
  CHECK(report.verdict == Verdict::fail);
  CHECK_THAT(report.text(), ContainsSubstring("input 0"));
}

TEST_CASE("a constant function proves nothing", "[gradcheck]") {
  const Var x = leaf({0.3, -1, 2});
  const GradReport report = check(on_first([](const Var& v) { return sum(softmax(v, 0)); }), {x});
  CHECK(report.verdict == Verdict::vacuous);
  CHECK(!report.ok());
  CHECK_THAT(report.text(), ContainsSubstring("VACUOUS"));
  CHECK(check(on_first([](const Var& v) { return relu(v); }), {leaf({-1, -2})}).verdict ==
        Verdict::vacuous);
  CHECK(check(on_first([](const Var& v) { return v.detach() * 0.0; }), {x}).verdict ==
        Verdict::vacuous);
  // Weighted, it proves something.
  const auto weighted = [](const Vars& v) {
    return Vars{sum(softmax(v[0], 0) * Var(Tensor::from<double>({1, -2, 3})))};
  };
  CHECK(check(weighted, {x}).ok());
  const std::vector<double> g = numbers(grad(weighted({x}), {x})[0]);
  CHECK(g[0] == Approx(-0.2225707).margin(1e-7));
  CHECK(g[1] == Approx(-0.1818460).margin(1e-7));
  CHECK(g[2] == Approx(0.4044167).margin(1e-7));
}

TEST_CASE("an input without influence is named, and proves nothing", "[gradcheck]") {
  const auto idle = [](const Var& y, const Var& x) { return Vars{y + x * 0.0}; };
  const GradReport report =
      check([&](const Vars& x) { return idle(tanh(x[0]), x[1]); }, {leaf({1, 2}), leaf({3, 4})});
  CHECK(report.verdict == Verdict::vacuous);
  CHECK(report.first.verdict == Verdict::pass);
  CHECK(report.second.checked);
  CHECK(report.first.idle == std::vector<std::string>{"input 1"});
  CHECK_THAT(report.text(), ContainsSubstring("gradcheck VACUOUS"));
  CHECK_THAT(report.text(), ContainsSubstring("input 1 has no influence"));
  // What is wrong with another input is worse.
  const GradReport wrong =
      check([&](const Vars& x) { return idle(tanh(x[0]) + x[0].detach(), x[1]); },
            {leaf({1}), leaf({3})});
  CHECK(wrong.verdict == Verdict::fail);
}

TEST_CASE("inputs are put back to the last bit", "[gradcheck]") {
  const Tensor big = Tensor::from<double>({0.1, 0.2, -0.0, 0.3, 1e-300, -5}, {2, 3});
  const Var x(big.transpose(0, 1), true);  // strided
  const Tensor before = big.clone();
  const auto unchanged = [&] { return std::memcmp(big.raw(), before.raw(), 6 * 8) == 0; };
  CHECK(check(on_first([](const Var& v) { return sin(v); }), {x}).ok());
  CHECK(unchanged());
  for (int calls = 1; calls < 12; ++calls) {
    int left = calls;
    const auto breaks = [&](const Vars& v) {
      if (--left == 0) throw std::runtime_error("breaks");
      return Vars{sin(v[0])};
    };
    CHECK_THROWS_AS(check(breaks, {x}), std::runtime_error);
    CHECK(unchanged());
  }
  CHECK(!x.grad().defined());
}

TEST_CASE("parameters that the function holds itself are displaced too", "[gradcheck]") {
  Generator generator(5);
  const Var x = random_leaf({2, 3}, generator), w = random_leaf({4, 3}, generator);
  const Var bias = random_leaf({4}, generator);
  const GradReport report =
      check([&](const Vars& in) { return Vars{tanh(linear(in[0], w, bias))}; }, {x, w, bias});
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.first.idle.empty());
}

TEST_CASE("inputs that share elements are refused", "[gradcheck]") {
  const Function product = [](const Vars& x) { return Vars{x[0] * x[1]}; };
  const Var x = leaf({1, 2});
  CHECK_THROWS_WITH(check(product, {x, x}), ContainsSubstring("share"));
  CHECK_THROWS_WITH(check(product, {Var(Tensor::ones({1}, kFloat64).expand({2}), true), x}),
                    ContainsSubstring("clone()"));
  const Tensor both = Tensor::from<double>({1, 2, 3, 4});  // one storage, no common element
  CHECK(check(product, {Var(both.slice(0, 0, 2), true), Var(both.slice(0, 2), true)}).ok());
}

TEST_CASE("a function without a floating output proves nothing", "[gradcheck]") {
  const Var x = leaf({1, 2});
  for (const Function& f : std::vector<Function>{
           [](const Vars&) { return Vars{}; }, [](const Vars&) { return Vars{Var()}; },
           [](const Vars& v) { return Vars{to(v[0], kInt64)}; }}) {
    const GradReport report = check(f, {x});
    CHECK(report.verdict == Verdict::vacuous);
    CHECK(!report.ok());
    CHECK_THAT(report.text(), ContainsSubstring("no output is a floating tensor"));
  }
}

TEST_CASE("a function must keep still", "[gradcheck]") {
  const Var x = leaf({1, 2});
  double count = 0;
  const GradReport moving = check([&](const Vars& v) { return Vars{v[0] * (count += 1)}; }, {x});
  CHECK(moving.verdict == Verdict::fail);
  CHECK_THAT(moving.text(), ContainsSubstring("nondeterministic"));
  const GradReport other =
      check([](const Vars& v) { return Vars{v[0] * (is_recording() ? 2.0 : 3.0)}; }, {x});
  CHECK(other.verdict == Verdict::fail);
  CHECK_THAT(other.text(), ContainsSubstring("recorded"));
  const Var y = leaf({1, 2});
  const GradReport writing = check(
      [](const Vars& v) {
        const Var result = v[0] * 1.0;
        v[0].value().fill_(1);
        v[0].value().slice(0, 1).fill_(3);
        return Vars{Var(Tensor::ones({2}, kFloat64)) + result * 0.0};
      },
      {y});
  CHECK(writing.verdict == Verdict::fail);
  CHECK_THAT(writing.text(), ContainsSubstring("changes input 0"));
  const GradReport broken = check(on_first([](const Var& v) { return log(v); }), {leaf({-1, 2})});
  CHECK(broken.verdict == Verdict::fail);
  CHECK_THAT(broken.text(), ContainsSubstring("not finite"));
}

TEST_CASE("the check works where nothing is recorded, and changes no setting", "[gradcheck]") {
  const NoGrad off;
  CHECK(check(on_first([](const Var& x) { return tanh(x); }), {leaf({1, 2})}).ok());
  CHECK(!is_recording());
}

TEST_CASE("no elements: only shapes can be wrong", "[gradcheck]") {
  const Var a(Tensor::zeros({2, 0}, kFloat64), true), b(Tensor::zeros({0, 3}, kFloat64), true);
  CHECK(check([](const Vars& x) { return Vars{matmul(x[0], x[1])}; }, {a, b}).ok());
  CHECK(check(on_first([](const Var& x) { return sum(x, {0}); }), {b}).ok());
  CHECK(
      check(on_first([](const Var& x) { return narrow(x, 0, 1, 0) * 2.0; }), {leaf({1, 2})}).ok());
  CHECK_THROWS_AS(
      check(on_first([](const Var& x) { return x; }), {Var(Tensor::ones({2}, kFloat64))}), Error);
}

TEST_CASE("integer outputs and inputs stand aside", "[gradcheck]") {
  const auto f = [](const Vars& x) {
    return Vars{gather(x[0], 0, x[1]) * x[2], argmax(x[0], 0), x[0] > 0.0};
  };
  const GradReport report = check(f, {leaf({1, 2, 3}), Var(Tensor::from<int64_t>({2, 0, 2})),
                                      Var(Tensor::from<double>({1, 2, 4}))});
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a value inside a graph can be an input", "[gradcheck]") {
  const Var x = leaf({1, 2});
  CHECK(check(on_first([](const Var& h) { return tanh(h); }), {x * 0.3}).ok());
}

TEST_CASE("the same seed gives the same report", "[gradcheck]") {
  const Function f = on_first([](const Var& x) { return exp(x) * x; });
  CHECK(check(f, {leaf({1, 2})}, {.seed = 4}).text() ==
        check(f, {leaf({1, 2})}, {.seed = 4}).text());
  CHECK(check(f, {leaf({1, 2})}, {.seed = 4}).text() !=
        check(f, {leaf({1, 2})}, {.seed = 5}).text());
}
