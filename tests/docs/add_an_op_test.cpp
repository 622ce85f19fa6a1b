// The code that docs/add_an_op.md shows, compiled and run.
#include <cmath>
#include <sstream>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/pointwise.h"
#include "autograd/samples.h"
#include "models/cli/gradcheck_command.h"
#include "tensor/ops.h"
#include "tests/catch.h"

// DOC: the function
namespace glass {

struct Softsign {  // y = x / (1 + |x|), dy/dx = 1 / (1 + |x|)²
  static constexpr const char* name = "softsign";
  template <class T>
  GLASS_FN static T f(T x) {
    return x / (T(1) + abs(x));
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    const T scale = T(1) / (T(1) + abs(x));
    return scale * scale;
  }
};

static Var softsign(In x) { return pointwise(Softsign{}, x); }

}  // namespace glass
// DOC: end

// DOC: the entry
namespace glass {

static std::vector<Entry> softsign_ops() {
  return {about(unary("softsign", softsign, [](double x) { return x / (1 + std::fabs(x)); }),
                "y = x/(1 + |x|)", "dx = dy/(1 + |x|)²")};
}

}  // namespace glass
// DOC: end

// DOC: a structured op
namespace glass {

struct Outer {  // y[i, j] = a[i]·b[j]
  static constexpr const char* name = "outer";
  static constexpr Keep keep{.inputs = 0b11};  // backward reads both inputs
  Tensor forward(const Tensor& a, const Tensor& b) const { return a.unsqueeze(1) * b.unsqueeze(0); }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, matmul(b.grad(), saved.input(1)));                   // da = dy·b
    b.add(1, matmul(transpose(b.grad(), 0, 1), saved.input(0)));  // db = dyᵀ·a
  }
};

static Var outer(In a, In b) { return record(Outer{}, a, b); }

static GradReport check_outer() {
  Generator g(1);
  const Var a(uniform({3}, -1, 1, kFloat64, g), true), b(uniform({4}, -1, 1, kFloat64, g), true);
  return check([](const Vars& in) { return Vars{outer(in[0], in[1])}; }, {a, b});
}

}  // namespace glass
// DOC: end

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the new op of the documentation passes its gradient check", "[docs]") {
  std::ostringstream out;
  CHECK(run_gradcheck(softsign_ops(), {"softsign"}, out) == 0);
  CHECK_THAT(out.str(), ContainsSubstring("gradcheck: 1 passed, 0 failed"));
  const GradReport report = check_outer();
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.second.checked);
}

namespace {

struct ForgottenSquare {
  static constexpr const char* name = "softsign";
  template <class T>
  GLASS_FN static T f(T x) {
    return x / (T(1) + abs(x));
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return T(1) / (T(1) + abs(x));
  }
};

}  // namespace

TEST_CASE("the same op with a slope that forgets the square fails it", "[docs]") {
  const auto wrong = [](In x) { return pointwise(ForgottenSquare{}, x); };
  std::ostringstream out;
  CHECK(run_gradcheck({unary("softsign", wrong, [](double x) { return x / (1 + std::fabs(x)); })},
                      {}, out) == 1);
  CHECK_THAT(out.str(), ContainsSubstring("gradcheck: 0 passed, 1 failed"));
}
