#include "autograd/ops/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/activation.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/table.h"
#include "autograd/pointwise.h"
#include "autograd/samples.h"
#include "tensor/functions/arithmetic.h"
#include "tensor/ops.h"

namespace glass {

using namespace functions;

Var add(In a, In b) { return pointwise(Add{}, a, b); }
Var sub(In a, In b) { return pointwise(Sub{}, a, b); }
Var mul(In a, In b) { return pointwise(Mul{}, a, b); }
Var div(In a, In b) { return pointwise(Div{}, a, b); }

Var div(In a, In b, Rounding rounding) {
  const Tensor quotients = div(a, b).value();
  const Tensor y = quotients.clone();
  visit_floating("div", y.dtype(), [&]<class T>(T) {
    T* out = y.data<T>();
    for (int64_t i = 0; i < y.numel(); ++i)
      out[i] = rounding == Rounding::floor ? std::floor(out[i]) : std::trunc(out[i]);
  });
  return Var(y);
}

Var pow(In base, In exponent) { return pointwise(Pow{}, base, exponent); }
Var maximum(In a, In b) { return pointwise(Maximum{}, a, b); }
Var minimum(In a, In b) { return pointwise(Minimum{}, a, b); }
Var neg(In x) { return pointwise(Neg{}, x); }
Var abs(In x) { return pointwise(Abs{}, x); }
Var exp(In x) { return pointwise(Exp{}, x); }
Var expm1(In x) { return pointwise(Expm1{}, x); }
Var log(In x) { return pointwise(Log{}, x); }
Var log1p(In x) { return pointwise(Log1p{}, x); }
Var sqrt(In x) { return pointwise(Sqrt{}, x); }
Var rsqrt(In x) { return pointwise(Rsqrt{}, x); }
Var square(In x) { return pointwise(Square{}, x); }
Var reciprocal(In x) { return pointwise(Reciprocal{}, x); }
Var sin(In x) { return pointwise(Sin{}, x); }
Var cos(In x) { return pointwise(Cos{}, x); }
Var erf(In x) { return pointwise(Erf{}, x); }
Var clamp(In x, double min, double max) { return pointwise(Clamp{min, max}, x); }
Var clamp(In x, const Var& min, const Var& max) {
  if (!min.defined() && !max.defined()) fail("clamp", "needs a bound");
  Var y = *x;
  if (min.defined()) y = where(lt(y, min), min, y);
  if (max.defined()) y = where(gt(y, max), max, y);
  return y;
}

namespace {

// a + alpha·b, a - alpha·b
Entry scaled(Entry entry, Var (*f)(In, In)) {
  entry.replay = [f](Replay& r) {
    const Var a = r.tensor_or_number("input"), b = r.tensor_or_number("other");
    const double alpha = r.real("alpha", 1);
    return Vars{f(a, alpha == 1 ? b : b * alpha)};
  };
  return entry;
}

Vars replay_div(Replay& r) {
  const Var a = r.tensor_or_number("input"), b = r.tensor_or_number("other");
  const std::string rounding = r.text("rounding_mode", "none");
  if (rounding == "none") return {div(a, b)};
  if (rounding != "floor" && rounding != "trunc")
    fail(r.op, "rounding_mode must be floor or trunc", rounding);
  return {div(a, b, rounding == "floor" ? Rounding::floor : Rounding::trunc)};
}

Vars replay_clamp(Replay& r) {
  const auto bound = [&](const char* name, double none) {
    return r.inputs.count(name) ? r[name] : Var(r.real(name, none));
  };
  const Var min = bound("min", -INFINITY), max = bound("max", INFINITY);
  if (min.is_number() && max.is_number()) return {clamp(r["input"], min.item(), max.item())};
  return {clamp(r["input"], min, max)};
}

Vars replay_pow(Replay& r) {
  return {pow(r.tensor_or_number("input"), r.tensor_or_number("exponent"))};
}

// Quotients with their fraction cut off, of constants: there is no gradient to check.
Sample rounded(const char* label, Rounding rounding, Numbers want) {
  return {.label = label,
          .inputs = {exact_constant({4}, {7, -7, 7, -7}), exact_constant({4}, {2, 2, -2, -2})},
          .f = [=](const Vars& v) { return Vars{div(v[0], v[1], rounding)}; },
          .reference = [=](const Columns&) { return want; }};
}

// Of two numbers alone one has no influence.
Entry chosen(Entry entry) {
  for (Sample& sample : entry.samples)
    if (sample.label == "0-d") sample.expect = Verdict::vacuous;
  return entry;
}

Sample bounded(const char* label, bool lower, bool upper) {
  return {.label = label,
          .inputs = {exact({4}, {-2, 0.25, 1, 3}),
                     (lower ? exact : exact_constant)({4}, {-1, 0.5, -3, 2}),
                     (upper ? exact : exact_constant)({}, {1.5})},
          .f =
              [=](const Vars& v) {
                return Vars{clamp(v[0], lower ? v[1] : Var(), upper ? v[2] : Var())};
              },
          .reference =
              [=](const Columns& x) {
                Numbers y = x[0];
                for (size_t i = 0; i < y.size(); ++i) {
                  if (lower) y[i] = std::max(y[i], x[1][i]);
                  if (upper) y[i] = std::min(y[i], x[2][0]);
                }
                return y;
              }};
}

}  // namespace

std::vector<Entry> arithmetic_ops() {
  using D = double;
  const auto quotient = [](In a, In b) { return div(a, b); };
  const auto clamped = [](In x) { return clamp(x, -0.5, 1.5); };
  return {
      about(scaled(binary("add", add, [](D a, D b) { return a + b; }), add), "y = a + b",
            "da = dy, db = dy"),
      about(scaled(binary("sub", sub, [](D a, D b) { return a - b; }), sub), "y = a - b",
            "da = dy, db = -dy"),
      about(binary("mul", mul, [](D a, D b) { return a * b; }), "y = a·b", "da = dy·b, db = dy·a"),
      about(with(replayed(binary("div", quotient, [](D a, D b) { return a / b; }, {}, {0.5, 2}),
                          replay_div),
                 {rounded("rounded down", Rounding::floor, {3, -4, -4, 3}),
                  rounded("rounded to 0", Rounding::trunc, {3, -3, -3, 3})}),
            "y = a/b", "da = dy/b, db = -dy·a/b²", "Real types only. Rounded: no gradient."),
      about(with(replayed(
                     binary("pow", pow, [](D a, D b) { return std::pow(a, b); }, {0.3, 2}, {-2, 2}),
                     replay_pow),
                 {at_points(
                      "square of any sign", [](In x) { return pow(x, 2.0); },
                      [](D x) { return x * x; }, {-1.5, -0.2, 0.7, 2}),
                  at_points(
                      "cube of any sign", [](In x) { return pow(x, 3.0); },
                      [](D x) { return x * x * x; }, {-1.5, -0.2, 0.7, 2}),
                  at_points(
                      "power of a number", [](In x) { return pow(2.0, x); },
                      [](D x) { return std::exp2(x); }, {-1.5, 0, 0.7, 2})}),
            "y = base^exponent",
            "dbase = dy·exponent·base^(exponent - 1), dexponent = dy·y·log(base)",
            "x^0 is 1 with slope 0, also at x = 0; 0^b has slope 0 in b for b >= 0."),
      about(with(chosen(binary("maximum", maximum, [](D a, D b) { return std::max(a, b); })),
                 {at_points(
                     "above a number and below", [](In x) { return maximum(x, 0.25); },
                     [](D x) { return x > 0.25 ? x : 0.25; }, {-1, 0.2, 0.3, 2})}),
            "y = max(a, b)", "dy to the larger one", "Ties: half to each. NaN wins."),
      about(with(chosen(binary("minimum", minimum, [](D a, D b) { return std::min(a, b); })),
                 {at_points(
                     "above a number and below", [](In x) { return minimum(x, 0.25); },
                     [](D x) { return x < 0.25 ? x : 0.25; }, {-1, 0.2, 0.3, 2})}),
            "y = min(a, b)", "dy to the smaller one", "Ties: half to each. NaN wins."),
      about(unary("neg", neg, [](D x) { return -x; }), "y = -x", "dx = -dy"),
      about(with(unary("abs", abs, [](D x) { return std::fabs(x); }),
                 {at_points("both signs", abs, [](D x) { return x < 0 ? -x : x; },
                            {-2, -0.5, 0.5, 2})}),
            "y = |x|", "dx = dy·sign(x)", "Slope 0 at 0."),
      about(unary("exp", exp, [](D x) { return std::exp(x); }), "y = exp(x)", "dx = dy·y"),
      about(with(unary("expm1", expm1, [](D x) { return std::expm1(x); }),
                 {at_points("near 0", expm1, [](D x) { return x + x * x / 2 + x * x * x / 6; },
                            {-1e-5, 1e-9, 1e-5})}),
            "y = exp(x) - 1", "dx = dy·(y + 1)", "Keeps its digits near 0."),
      about(unary("log", log, [](D x) { return std::log(x); }, {0.3, 3}), "y = log(x)",
            "dx = dy/x"),
      about(with(unary("log1p", log1p, [](D x) { return std::log1p(x); }, {-0.6, 2}),
                 {at_points("near 0", log1p, [](D x) { return x - x * x / 2 + x * x * x / 3; },
                            {-1e-5, 1e-9, 1e-5})}),
            "y = log(1 + x)", "dx = dy/(1 + x)", "Keeps its digits near 0."),
      about(unary("sqrt", sqrt, [](D x) { return std::sqrt(x); }, {0.3, 3}), "y = √x",
            "dx = dy/(2·y)", "The slope at 0 is infinite."),
      about(unary("rsqrt", rsqrt, [](D x) { return std::pow(x, -0.5); }, {0.3, 3}), "y = 1/√x",
            "dx = -dy·y³/2"),
      about(unary("square", square, [](D x) { return x * x; }), "y = x²", "dx = 2·dy·x"),
      about(with(unary("reciprocal", reciprocal, [](D x) { return 1 / x; }, {0.4, 2}),
                 {at_points("negative", reciprocal, [](D x) { return std::pow(x, -1); },
                            {-2, -0.5})}),
            "y = 1/x", "dx = -dy·y²"),
      about(unary("sin", sin, [](D x) { return std::sin(x); }, {-4, 4}), "y = sin(x)",
            "dx = dy·cos(x)"),
      about(unary("cos", cos, [](D x) { return std::cos(x); }, {-4, 4}), "y = cos(x)",
            "dx = -dy·sin(x)"),
      about(unary("erf", erf, [](D x) { return std::erf(x); }), "y = erf(x) = 2/√π·∫₀ˣ exp(-t²) dt",
            "dx = dy·2/√π·exp(-x²)"),
      about(with(replayed(unary("clamp", clamped, [](D x) { return std::clamp(x, -0.5, 1.5); },
                                {-0.4, 1.4}),
                          replay_clamp),
                 {at_points("below, between, above", clamped,
                            [](D x) { return x < -0.5  ? -0.5
                                             : x > 1.5 ? 1.5
                                                       : x; },
                            {-2, -0.6, -0.4, 0, 1.4, 1.6, 5}),
                  bounded("tensors", true, true), bounded("below", true, false),
                  bounded("above", false, true)}),
            "y = min(max(x, min), max)", "dx = dy within the bounds, else 0",
            "Slope 1 on the bounds. With min above max the result is max.")};
}

}  // namespace glass
