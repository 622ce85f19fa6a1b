// The code that README.md shows, compiled and run.
#include "tests/catch.h"

// README: a first layer
#include "autograd/gradcheck.h"
#include "autograd/pointwise.h"
#include "nn/linear.h"

using namespace glass;

struct Swish {  // y = x·σ(x): a value and its slope, nothing else
  static constexpr const char* name = "swish";
  template <class T>
  GLASS_FN static T f(T x) {
    return x * sigmoid(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T y) {
    return y + sigmoid(x) * (T(1) - y);
  }
};

struct GatedLayer : Module {
  Linear value, gate;
  GatedLayer(int64_t in, int64_t out, Generator& g)
      : value(in, out, true, g), gate(in, out, true, g) {}
  void visit(Visitor& v) override { v("value", value), v("gate", gate); }
  Var operator()(const Var& x) { return value(x) * pointwise(Swish{}, gate(x)); }
};

static GradReport check_gated_layer() {
  Generator g(1);
  GatedLayer layer(3, 2, g);
  layer.to(kFloat64);
  Vars inputs = layer.parameters();
  inputs.push_back(Var(uniform({4, 3}, -1, 1, kFloat64, g), true));
  return check([&](const Vars& in) { return Vars{layer(in.back())}; }, inputs);
}
// README: end

TEST_CASE("README: the first layer passes its gradient check") {
  const GradReport report = check_gated_layer();
  INFO(report.text());
  CHECK(report.ok());
}

namespace {

struct WrongSwish {
  static constexpr const char* name = "wrong_swish";
  template <class T>
  GLASS_FN static T f(T x) {
    return x * sigmoid(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T y) {
    return y + sigmoid(x) * (T(1) + y);
  }
};

}  // namespace

TEST_CASE("README: the same layer with a wrong slope fails it") {
  Generator g(1);
  const Var x(uniform({4, 3}, -1, 1, kFloat64, g), true);
  CHECK_FALSE(check([](const Vars& in) { return Vars{pointwise(WrongSwish{}, in[0])}; }, {x}).ok());
}
