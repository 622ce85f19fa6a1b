#include "tests/nn/padding.h"

#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "tests/catch.h"

namespace glass::tests {
namespace {

const std::vector<int64_t> kLengths{2, 5, 0, 1, 3};

// x with value in the padding of [T, B, ...].
Tensor padded(const Tensor& x, double value) {
  const Tensor out = x.clone();
  for (size_t b = 0; b < kLengths.size(); ++b)
    if (kLengths[b] < x.size(0))
      out.select(1, static_cast<int64_t>(b)).slice(0, kLengths[b]).fill_(value);
  return out;
}

struct Result {
  std::vector<std::vector<float>> values, gradients;
};

Result run(Module& module, const PaddedLayer& layer, const Tensor& x_value) {
  Generator g(12);
  const Var x(x_value, true);
  module.zero_grad();
  const std::vector<Var> y = layer(x, kLengths);
  Result result;
  for (size_t i = 0; i < y.size(); ++i) {
    result.values.push_back(y[i].value().to_vector<float>());
    Tensor up = uniform(y[i].shape(), -1, 1, kFloat32, g);
    if (i == 0) up = padded(up, std::nan(""));
    y[i].backward(Var(up), {.retain_graph = true});
  }
  result.gradients.push_back(x.grad().value().to_vector<float>());
  for (const Var& parameter : module.parameters())
    result.gradients.push_back(parameter.grad().value().to_vector<float>());
  // Padded outputs and gradients are 0.
  for (const Tensor& all : {y[0].value(), x.grad().value()})
    for (size_t b = 0; b < kLengths.size(); ++b)
      for (float number : all.select(1, static_cast<int64_t>(b))
                              .slice(0, kLengths[b])
                              .contiguous()
                              .to_vector<float>())
        CHECK(number == 0.0f);
  return result;
}

Tensor row(const Tensor& x, size_t b) { return x.narrow(1, static_cast<int64_t>(b), 1); }

void check_close(const Tensor& got, const Tensor& want) {
  REQUIRE(got.shape() == want.shape());
  const auto a = got.contiguous().to_vector<double>(), b = want.contiguous().to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-12));
}

}  // namespace

void check_padding_is_never_read(Module& module, const PaddedLayer& layer) {
  Generator g(11);
  const Tensor x = uniform({5, 5, 3}, -1, 1, kFloat32, g);
  const Result clean = run(module, layer, padded(x, 0));
  for (const auto& gradient : clean.gradients)
    for (float number : gradient) CHECK(std::isfinite(number));
  const double inf = std::numeric_limits<double>::infinity();
  for (double poison : {std::nan(""), inf, -inf, 1e30}) {
    const Result result = run(module, layer, padded(x, poison));
    CHECK(result.values == clean.values);
    CHECK(result.gradients == clean.gradients);
  }
}

void check_rows_run_alone(Module& module, const PaddedLayer& layer) {
  Generator g(13);
  const Var x(padded(uniform({5, 5, 3}, -1, 1, kFloat64, g), std::nan("")), true);
  module.zero_grad();
  const std::vector<Var> whole = layer(x, kLengths);
  std::vector<Tensor> upstream;
  for (const Var& y : whole) {
    upstream.push_back(uniform(y.shape(), -1, 1, kFloat64, g));
    y.backward(Var(upstream.back()), {.retain_graph = true});
  }
  std::vector<Tensor> gradients;
  for (const Var& parameter : module.parameters())
    gradients.push_back(parameter.grad().value().clone());

  module.zero_grad();
  for (size_t b = 0; b < kLengths.size(); ++b) {
    const int64_t n = kLengths[b];
    const Var alone(row(x.value(), b).slice(0, 0, n).clone(), true);
    const std::vector<Var> y = layer(alone, {});
    for (size_t i = 0; i < y.size(); ++i) {
      const auto valid = [&](const Tensor& all) {
        return i == 0 ? row(all, b).slice(0, 0, n) : row(all, b);
      };
      check_close(valid(whole[i].value()), y[i].value());
      if (y[i].requires_grad())
        y[i].backward(Var(valid(upstream[i]).clone()), {.retain_graph = true});
    }
    if (n > 0) check_close(row(x.grad().value(), b).slice(0, 0, n), alone.grad().value());
  }
  const std::vector<Var> parameters = module.parameters();
  for (size_t i = 0; i < parameters.size(); ++i)
    check_close(gradients[i], parameters[i].grad().value());
}

}  // namespace glass::tests
