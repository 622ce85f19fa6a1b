// The tester tested: ops whose derivatives are wrong on purpose.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/op.h"
#include "tensor/ops.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

enum class Bug {
  none,
  off_by_a_thousandth,
  missing_term,
  swapped,
  no_second,
  no_first,
  upstream_ignored,
  sign,
  factor_two,
  transposed,
  dropped_element,
  rows_not_summed,
  mean_for_sum,
  nan,
  stale,
  // Wrong in the second order only:
  input_detached,
  upstream_detached,
  second_off,
};

// y = a²·w + sin(a) + b, a and w [3, 3], b [3]: da = (2·a·w + cos a)·dy, dw = a²·dy, db = Σ dy
struct Planted {
  static constexpr const char* name = "planted";
  static constexpr Keep keep{.inputs = 3};
  Bug bug;
  std::shared_ptr<Tensor> first_a;

  Tensor forward(const Tensor& a, const Tensor& w, const Tensor& b) const {
    if (!first_a->defined()) *first_a = a.clone();
    return a * a * w + sin(Var(a)).value() + b;
  }
  void backward(Backward& b, const Saved& saved) const {
    Var a = saved.input(0), dy = b.grad();
    const Var w = saved.input(1);
    const bool second = b.create_graph();
    if (bug == Bug::stale) a = Var(*first_a);
    if (second && bug == Bug::input_detached) a = a.detach();
    if (second && bug == Bug::upstream_detached) dy = dy.detach();
    if (bug == Bug::upstream_ignored) dy = Var(Tensor::ones({3, 3}, kFloat64));
    Var da = a * w * 2.0 * dy, dw = a * a * dy, db = sum(dy, {0});
    if (bug != Bug::missing_term) da = da + cos(a) * dy;
    if (bug == Bug::off_by_a_thousandth) da = da * 1.001;
    if (bug == Bug::sign) da = -da;
    if (bug == Bug::factor_two) dw = dw * 2.0;
    if (bug == Bug::transposed) da = transpose(da, 0, 1);
    if (bug == Bug::rows_not_summed) db = select(dy, 0, 0);
    if (bug == Bug::mean_for_sum) db = mean(dy, {0});
    if (bug == Bug::swapped) std::swap(da, dw);
    if (bug == Bug::dropped_element) da = da * mask({2, 1}, 0);
    if (bug == Bug::nan) dw = dw * mask({1, 2}, NAN);
    if (second && bug == Bug::second_off) da = da + (a - a.detach()) * dy * 0.01;
    if (bug != Bug::no_first) b.add(0, da);
    if (bug != Bug::no_second) b.add(1, dw);
    b.add(2, db);
  }
  static Var mask(std::vector<int64_t> index, double value) {
    const Tensor m = Tensor::ones({3, 3}, kFloat64);
    m.select(0, index[0]).select(0, index[1]).fill_(value);
    return Var(m);
  }
};

Function planted(Bug bug) {
  return [bug, first_a = std::make_shared<Tensor>()](const Vars& x) {
    return Vars{record(Planted{bug, first_a}, In(x[0]), In(x[1]), In(x[2]))};
  };
}

Vars planted_inputs(uint64_t seed) {
  Generator generator(seed);
  Vars inputs;
  for (const Shape& shape : {Shape{3, 3}, Shape{3, 3}, Shape{3}})
    inputs.push_back(Var(uniform(shape, 0.5, 2, kFloat64, generator), true));
  return inputs;
}

bool has(const GradBlock& block, CauseKind kind) {
  return std::any_of(block.causes.begin(), block.causes.end(),
                     [kind](const Cause& c) { return c.kind == kind; });
}

// What is wrong must be named, with numbers whose numeric one is the true derivative.
void rejected(Bug bug, size_t input, const char* label, std::optional<CauseKind> cause) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Vars inputs = planted_inputs(seed);
    const GradReport report = check(planted(bug), inputs, {.name = label, .seed = seed});
    INFO(label << ", seed " << seed << "\n" << report.text());
    CHECK(report.verdict == Verdict::fail);
    REQUIRE(!report.first.mismatches.empty());
    const GradBlock& m = report.first.mismatches[0];
    CHECK(m.input_number == input);
    CHECK(m.index.size() == static_cast<size_t>(inputs[input].ndim()));
    CHECK(!(std::abs(m.analytic - m.numeric) < 1e-6 * std::abs(m.numeric)));
    CHECK_THAT(report.text(), ContainsSubstring(label));
    CHECK_THAT(report.text(), ContainsSubstring("input " + std::to_string(input)));
    CHECK_THAT(report.text(), ContainsSubstring("[" + std::to_string(m.index[0])));
    if (cause) CHECK(has(m, *cause));
    if (!cause) CHECK(m.causes.empty());
    if (!cause) CHECK_THAT(report.text(), ContainsSubstring("none that is known fits"));
  }
}

struct WrongShape {
  static constexpr const char* name = "wrong_shape";
  Tensor forward(const Tensor& x, const Tensor& w) const { return x * w; }
  void backward(Backward& b, const Saved&) const {
    b.add(0, b.grad());
    b.add(1, Tensor::ones({2}, kFloat64));
  }
};

// y0 = x, y1 = x²; the gradient of y1 is a hair off.
struct TwoOutputs {
  static constexpr const char* name = "two_outputs";
  static constexpr Keep keep{.inputs = 1};
  std::array<Tensor, 2> forward(const Tensor& x) const { return {x.clone(), x * x}; }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, b.grad(0) + saved.input(0) * b.grad(1) * 2.002);
  }
};

// A fused op whose definition is another function.
struct WrongDefinition {
  static constexpr const char* name = "wrong_definition";
  Tensor forward(const Tensor& x) const { return x * x; }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, b.grad() * saved.input(0) * 2.0);
  }
  Var definition(const Var& x) const { return x * x * 1.001; }
};

// Nothing comes out, and yet there is a gradient.
struct FromNothing {
  static constexpr const char* name = "from_nothing";
  Tensor forward(const Tensor& x) const { return x.slice(0, 0, 0); }
  void backward(Backward& b, const Saved&) const { b.add(0, Tensor::eye(3, kFloat64)); }
};

}  // namespace

TEST_CASE("the planted op without a bug passes", "[gradcheck][mistakes]") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const GradReport report = check(planted(Bug::none), planted_inputs(seed), {.seed = seed});
    INFO(report.text());
    CHECK(report.ok());
    CHECK(report.second.checked);
  }
}

TEST_CASE("planted mistakes are rejected by name and place", "[gradcheck][mistakes]") {
  rejected(Bug::off_by_a_thousandth, 0, "off_by_a_thousandth", CauseKind::factor);
  rejected(Bug::missing_term, 0, "missing_term", {});
  rejected(Bug::swapped, 0, "swapped", CauseKind::swapped);
  rejected(Bug::no_second, 1, "no_second", CauseKind::missing);
  rejected(Bug::no_first, 0, "no_first", CauseKind::missing);
  rejected(Bug::upstream_ignored, 0, "upstream_ignored", CauseKind::upstream_ignored);
  rejected(Bug::sign, 0, "sign", CauseKind::sign);
  rejected(Bug::factor_two, 1, "factor_two", CauseKind::factor);
  rejected(Bug::transposed, 0, "transposed", CauseKind::transposed);
  rejected(Bug::dropped_element, 0, "dropped_element", CauseKind::dropped);
  rejected(Bug::rows_not_summed, 2, "rows_not_summed", CauseKind::not_reduced);
  rejected(Bug::mean_for_sum, 2, "mean_for_sum", CauseKind::factor);
  rejected(Bug::nan, 1, "nan", CauseKind::nan);
  rejected(Bug::stale, 0, "stale", CauseKind::stale);
}

TEST_CASE("the worst element is the wrong one", "[gradcheck][mistakes]") {
  const Vars inputs = planted_inputs(3);
  const GradBlock dropped = check(planted(Bug::dropped_element), inputs).first.mismatches.at(0);
  CHECK(dropped.index == std::vector<int64_t>{2, 1});
  CHECK(dropped.wrong == 1);
  CHECK(dropped.compared == 9);
  CHECK(dropped.analytic == 0);
  CHECK(std::abs(dropped.numeric) > 0.1);
  const GradBlock nan = check(planted(Bug::nan), inputs).first.mismatches.at(0);
  CHECK(nan.index == std::vector<int64_t>{1, 2});
  CHECK(std::isnan(nan.analytic));
  const GradBlock two = check(planted(Bug::factor_two), inputs).first.mismatches.at(0);
  CHECK(two.analytic == Approx(2 * two.numeric).epsilon(1e-8));
  const GradBlock off = check(planted(Bug::off_by_a_thousandth), inputs).first.mismatches.at(0);
  CHECK(off.analytic == Approx(1.001 * off.numeric).epsilon(1e-8));
}

TEST_CASE("mistakes of the second order alone are rejected", "[gradcheck][mistakes]") {
  for (Bug bug : {Bug::input_detached, Bug::upstream_detached, Bug::second_off})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const GradReport report = check(planted(bug), planted_inputs(seed), {.seed = seed});
      INFO(static_cast<int>(bug) << "\n" << report.text());
      CHECK(report.first.verdict == Verdict::pass);
      CHECK(report.verdict == Verdict::fail);
      REQUIRE(!report.second.mismatches.empty());
      const GradBlock& m = report.second.mismatches[0];
      CHECK(m.input == (bug == Bug::upstream_detached ? "upstream of output 0" : "input 0"));
      CHECK_THAT(m.output, ContainsSubstring("gradient of input"));
      CHECK(check(planted(bug), planted_inputs(seed), {.second_order = false}).ok());
    }
}

TEST_CASE("a gradient of the wrong shape fails with the op's name", "[gradcheck][mistakes]") {
  const Vars inputs = planted_inputs(1);
  const GradReport report =
      check([](const Vars& x) { return Vars{record(WrongShape{}, In(x[0]), In(x[2]))}; }, inputs);
  CHECK(report.verdict == Verdict::fail);
  CHECK_THAT(report.text(), ContainsSubstring("wrong_shape"));
  CHECK_THAT(report.text(), ContainsSubstring("input 2: "));
}

TEST_CASE("the output whose gradient is wrong is named", "[gradcheck][mistakes]") {
  const auto f = [](const Vars& x) {
    const std::array<Var, 2> y = record(TwoOutputs{}, In(x[0]));
    return Vars{y[0], y[1]};
  };
  const GradReport report = check(f, {planted_inputs(1)[0]}, {.input_names = {"weight"}});
  INFO(report.text());
  REQUIRE(report.first.mismatches.size() == 1);
  CHECK(report.first.mismatches[0].output == "output 1");
  CHECK(report.first.mismatches[0].input == "weight");
}

TEST_CASE("a definition that is another function is found", "[gradcheck][mistakes]") {
  const GradReport report =
      check([](const Vars& x) { return Vars{record(WrongDefinition{}, In(x[0]))}; },
            {planted_inputs(1)[0]});
  CHECK(report.first.verdict == Verdict::pass);
  CHECK(report.second.verdict == Verdict::fail);
  CHECK_THAT(report.text(), ContainsSubstring("create_graph"));
}

TEST_CASE("a mistake deep in a network is seen at its inputs", "[gradcheck][mistakes]") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Vars inputs = planted_inputs(seed);
    const Function middle = planted(Bug::off_by_a_thousandth);
    const auto f = [&](const Vars& x) {
      const Var h = tanh(matmul(x[0], x[1]));
      return Vars{logsumexp(sigmoid(middle({h, x[1], x[2]})[0]), 1)};
    };
    CHECK(check(f, inputs, {.seed = seed}).verdict == Verdict::fail);
  }
}

TEST_CASE("of a large input, some elements are tried", "[gradcheck][mistakes]") {
  Generator generator(2);
  const Var x(uniform({60, 50}, -1, 1, kFloat64, generator), true);
  const GradReport report = check([](const Vars& in) { return Vars{in[0].detach() * in[0]}; }, {x},
                                  {.max_elements = 100});
  REQUIRE(report.first.mismatches.size() == 1);
  CHECK(report.first.mismatches[0].compared == 100);
  CHECK(report.first.mismatches[0].wrong > 95);
}

TEST_CASE("a gradient of no elements must be zero", "[gradcheck][mistakes]") {
  const GradReport report = check(
      [](const Vars& x) { return Vars{record(FromNothing{}, In(x[0]))}; }, {planted_inputs(1)[0]});
  CHECK(report.verdict == Verdict::fail);
  REQUIRE(report.first.mismatches.size() == 1);
  CHECK(report.first.mismatches[0].wrong == 3);
  CHECK(report.first.mismatches[0].index == std::vector<int64_t>{0, 0});
}
