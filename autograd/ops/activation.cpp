#include "autograd/ops/activation.h"

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/table.h"
#include "autograd/pointwise.h"
#include "autograd/samples.h"
#include "tensor/functions/activation.h"

namespace glass {

using namespace functions;

Var tanh(In x) { return pointwise(Tanh{}, x); }
Var sigmoid(In x) { return pointwise(Sigmoid{}, x); }
Var relu(In x) { return pointwise(Relu{}, x); }
Var leaky_relu(In x, double negative_slope) { return pointwise(LeakyRelu{negative_slope}, x); }
Var elu(In x, double alpha) { return pointwise(Elu{alpha}, x); }
Var gelu(In x, GeluKind approximate) {
  return approximate == GeluKind::exact ? pointwise(Gelu{}, x) : pointwise(GeluTanh{}, x);
}
Var silu(In x) { return pointwise(Silu{}, x); }
Var softplus(In x, double beta, double threshold) {
  return pointwise(Softplus{beta, threshold}, x);
}
Var logsigmoid(In x) { return pointwise(LogSigmoid{}, x); }

namespace {

Vars replay_gelu(Replay& r) {
  const std::string form = r.text("approximate", "none");
  if (form != "none" && form != "tanh") fail(r.op, "approximate must be none or tanh", form);
  return {gelu(r["input"], form == "tanh" ? GeluKind::tanh : GeluKind::exact)};
}
Vars replay_leaky_relu(Replay& r) {
  return {leaky_relu(r["input"], r.real("negative_slope", 0.01))};
}
Vars replay_elu(Replay& r) { return {elu(r["input"], r.real("alpha", 1))}; }
Vars replay_softplus(Replay& r) {
  return {softplus(r["input"], r.real("beta", 1), r.real("threshold", 20))};
}

}  // namespace

std::vector<Entry> activation_ops() {
  using D = double;
  const auto logistic = [](D x) { return 0.5 * (1 + std::tanh(0.5 * x)); };
  const auto slope_02 = [](In x) { return leaky_relu(x, 0.2); };
  const auto elu_15 = [](In x) { return elu(x, 1.5); };
  const auto gelu_exact = [](In x) { return gelu(x); };
  const auto gelu_tanh = [](In x) { return gelu(x, GeluKind::tanh); };
  const auto softplus_2 = [](In x) { return softplus(x, 2, 3); };
  const std::vector<D> both_signs{-2, -1.25, -0.5, -0.125, 0.125, 0.5, 1.25, 2};
  return {
      about(unary("tanh", tanh, [](D x) { return 1 - 2 / (std::exp(2 * x) + 1); }), "y = tanh(x)",
            "dx = dy·(1 - y²)"),
      about(unary("sigmoid", sigmoid, logistic), "y = 1/(1 + exp(-x))", "dx = dy·y·(1 - y)"),
      about(with(unary("relu", relu, [](D x) { return std::fmax(x, 0); }),
                 {at_points(
                     "both signs", relu, [](D x) { return x > 0 ? x : 0; }, both_signs)}),
            "y = max(x, 0)", "dx = dy where x > 0, else 0", "Slope 0 at 0. NaN stays NaN."),
      about(with(replayed(unary("leaky_relu", slope_02, [](D x) { return std::fmax(x, 0.2 * x); }),
                          replay_leaky_relu),
                 {at_points(
                     "both signs", slope_02, [](D x) { return x > 0 ? x : x / 5; }, both_signs)}),
            "y = x where x > 0, else negative_slope·x",
            "dx = dy where x > 0, else negative_slope·dy", "Slope negative_slope at 0."),
      about(with(replayed(
                     unary("elu", elu_15, [](D x) { return x > 0 ? x : 1.5 * (std::exp(x) - 1); }),
                     replay_elu),
                 {at_points(
                     "both signs", elu_15, [](D x) { return x > 0 ? x : 1.5 * std::expm1(x); },
                     both_signs)}),
            "y = x where x > 0, else alpha·(exp(x) - 1)",
            "dx = dy where x > 0, else dy·alpha·exp(x)", "Slope alpha at 0."),
      about(with(replayed(
                     unary("gelu", gelu_exact,
                           [](D x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }, {-4, 4}),
                     replay_gelu),
                 {at_points(
                     "tanh form", gelu_tanh,
                     [](D x) {
                       const D u = std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3));
                       return x / (1 + std::exp(-2 * u));
                     },
                     both_signs)}),
            "y = x·Φ(x), Φ the normal distribution; or 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))",
            "dx = dy·(Φ(x) + x·φ(x)), φ the normal density",
            "gelu(-∞) is NaN, as the product 0·∞ is."),
      about(unary("silu", silu, [logistic](D x) { return x * logistic(x); }), "y = x·σ(x)",
            "dx = dy·σ(x)·(1 + x·(1 - σ(x)))"),
      about(with(replayed(unary(
                              "softplus", [](In x) { return softplus(x); },
                              [](D x) { return std::log(1 + std::exp(x)); }),
                          replay_softplus),
                 {at_points("beta 2, threshold 3: both sides", softplus_2,
                            [](D x) { return x > 1.5 ? x : std::log(1 + std::exp(2 * x)) / 2; },
                            {-3, -1, 0, 1, 1.4, 1.6, 4})}),
            "y = log(1 + exp(beta·x))/beta", "dx = dy·σ(beta·x)",
            "y = x with slope 1 where beta·x > threshold."),
      about(with(unary("logsigmoid", logsigmoid, [logistic](D x) { return std::log(logistic(x)); }),
                 {at_points(
                     "both signs", logsigmoid, [](D x) { return -std::log(1 + std::exp(-x)); },
                     both_signs)}),
            "y = log σ(x) = min(x, 0) - log(1 + exp(-|x|))", "dx = dy·σ(-x)")};
}

}  // namespace glass
