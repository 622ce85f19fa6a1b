// The code that docs/gradient_checking.md shows, compiled and run.
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/mutants.h"
#include "autograd/op.h"
#include "models/cli/gradcheck_command.h"
#include "models/registry.h"
#include "tests/docs/gradient_checking_lesson.h"

namespace glass::gradcheck_lesson {

// DOC: the plain checker
static bool plain_check(const std::function<Var(const Var&)>& f, const Var& x) {
  const Tensor analytic = grad({f(x)}, {x})[0].value();  // of one number: dy/dx
  const NoGrad off;
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Tensor element = x.value().reshape({-1}).narrow(0, i, 1);
    const double before = element.item();
    element.fill_(before + kStep);
    const double right = f(x).item();
    element.fill_(before - kStep);
    const double left = f(x).item();
    element.fill_(before);
    const double numeric = (right - left) / (2 * kStep);
    if (!(std::abs(analytic.reshape({-1}).narrow(0, i, 1).item() - numeric) < 1e-8)) return false;
  }
  return true;
}
// DOC: end

// DOC: six bugs
enum class Bug { sign, factor, slice, nothing, no_sum, wrong_axis };

struct BuggySoftmax {  // y = softmax(x) over axis 1,  dx = y∘(dy - Σ_axis dy∘y)
  static constexpr const char* name = "buggy_softmax";
  static constexpr Keep keep{.outputs = 1};
  Bug bug;
  Tensor forward(const Tensor& x) const { return softmax(Var(x), 1).value(); }
  void backward(Backward& b, const Saved& saved) const {
    const Var y = saved.output(), dy = b.grad();
    Var dx = y * (dy - sum(dy * y, {1}, true));
    if (bug == Bug::sign) dx = -dx;
    if (bug == Bug::factor) dx = dx * 2.0;
    if (bug == Bug::slice) dx = dx * Var(Tensor::from<double>({1, 1, 1, 0}));
    if (bug == Bug::nothing) dx = dx * 0.0;
    if (bug == Bug::no_sum) dx = y * dy;
    if (bug == Bug::wrong_axis) dx = y * (dy - sum(dy * y, {0}, true));
    b.add(0, dx);
  }
};
// DOC: end

static Var some(const Shape& shape, uint64_t seed = 1) {
  Generator g(seed);
  return Var(uniform(shape, -1, 1, kFloat64, g), true);
}

static std::string six_bugs() {
  std::string out = fmt::format("{:<12} {:<11} {:<7} {}\n", "bug", "plain sum", "check", "cause");
  const std::pair<const char*, Bug> bugs[] = {
      {"sign", Bug::sign},           {"factor 2", Bug::factor}, {"last column", Bug::slice},
      {"no gradient", Bug::nothing}, {"no Σ", Bug::no_sum},     {"Σ, axis 0", Bug::wrong_axis}};
  for (const auto& [label, bug] : bugs) {
    const Var x = some({4, 4});
    const auto f = [bug = bug](const Vars& in) {
      return Vars{record(BuggySoftmax{bug}, In(in[0]))};
    };
    const bool passes = plain_check([&](const Var& v) { return sum(f({v})[0]); }, x);
    const GradReport report = check(f, {x}, {.second_order = false});
    const auto& causes = report.first.mismatches.at(0).causes;
    out +=
        fmt::format("{:<12} {:<11} {:<7} {}\n", label, passes ? "passes" : "fails",
                    report.ok() ? "passes" : "fails",
                    causes.empty() ? "none that is known" : std::string(name_of(causes[0].kind)));
  }
  return out;
}

// DOC: a right layer
static std::string right_layer() {
  const auto dense = [](const Vars& in) { return Vars{tanh(matmul(in[0], in[1]) + in[2])}; };
  const Vars inputs{some({5, 4}, 1), some({4, 3}, 2), some({3}, 3)};
  return check(dense, inputs, {.name = "dense", .input_names = {"x", "W", "b"}}).text();
}
// DOC: end

// DOC: vacuous
static std::string proves_nothing() {
  const auto f = [](const Vars& in) { return Vars{sum(softmax(in[0], 1), {1})}; };
  return check(f, {some({3, 4})}, {.name = "sum of softmax", .second_order = false}).text();
}
// DOC: end

// DOC: steps
template <class T>
static double relative_error(T step, bool central) {  // of the slope of e^(sin x) at 1
  const auto f = [](T x) { return std::exp(std::sin(x)); };
  const T right = f(T(1) + step), left = central ? f(T(1) - step) : f(T(1));
  const double slope = static_cast<double>(right - left) / (central ? 2.0 : 1.0) / step;
  const double exact = std::exp(std::sin(1.0)) * std::cos(1.0);
  return std::abs(slope / exact - 1);
}

static std::string steps() {
  std::string out = fmt::format("{:>6} {:>11} {:>11} {:>16}\n", "step", "one side", "two sides",
                                "two, in float32");
  for (int n = 1; n <= 12; ++n) {
    const double h = std::pow(10, -n);
    out += fmt::format("{:>6.0e} {:>11.1e} {:>11.1e} {:>16.1e}\n", h, relative_error(h, false),
                       relative_error(h, true), relative_error(static_cast<float>(h), true));
  }
  return out;
}
// DOC: end

// DOC: a kink
static std::string kink() {
  const auto f = [](const Vars& in) { return Vars{relu(in[0])}; };
  const Var x(Tensor::from<double>({-1, 0, 2}), true);
  const GradReport here = check(f, {x}, {.name = "relu", .second_order = false});
  const GradReport beside =
      check(f, {x}, {.name = "relu", .second_order = false, .move_off_kinks = true});
  return here.text() + beside.text();
}
// DOC: end

// DOC: in float32
static std::string in_float32() {
  const auto f = [](const Vars& in) { return Vars{to(sin(to(in[0], kFloat32)), kFloat64)}; };
  return check(f, {some({3})}, {.name = "sine", .second_order = false}).text();
}
// DOC: end

// DOC: a failure
static std::string failure() {
  const Function product = [](const Vars& in) { return Vars{matmul(in[0], in[1])}; };
  const Function wrong = plant(product, {.cause = CauseKind::transposed, .label = "", .input = 1});
  const auto network = [&](const Vars& in) {
    return Vars{logsumexp(tanh(wrong({in[0], in[1]})[0] + in[2]), 1)};
  };
  const Vars inputs{some({5, 3}, 1), some({3, 3}, 2), some({3}, 3)};
  return check(network, inputs,
               {.name = "network", .input_names = {"x", "W", "b"}, .second_order = false})
      .text();
}
// DOC: end

// DOC: gear 2
static std::string gear_two() {
  const auto f = [](const Vars& in) { return Vars{sum(sin(in[0]))}; };
  const Var large = some({300, 100});
  std::string out;
  try {
    check(f, {large}, {.gear = 2});
  } catch (const Error& error) {
    out = std::string(error.what()) + "\n\n";
  }
  const CheckOptions sampled{.name = "sine", .second_order = false, .gear = 2, .columns = 3000};
  return out + check(f, {large}, sampled).text();
}
// DOC: end

static std::string mutants() {
  std::ostringstream out;
  run_mutants(all_entries(), {"matmul", "softmax", "layer_norm"}, out);
  const std::string text = out.str();
  return text.substr(text.rfind("\n", text.size() - 2) + 1);
}

std::vector<std::string> outputs() {
  return {six_bugs(), right_layer(), proves_nothing(), steps(),  in_float32(),
          kink(),     failure(),     gear_two(),       mutants()};
}

}  // namespace glass::gradcheck_lesson
