#include "optim/sgd.h"

#include "tests/catch.h"

using namespace glass;

namespace {

// One parameter of value 1 after each of the gradients.
std::vector<double> sgd_path(const SgdOptions& options, const std::vector<double>& gradients) {
  const Var p(Tensor::full({1}, 1, kFloat64), true);
  SGD sgd({p}, options);
  std::vector<double> values;
  for (const double g : gradients) {
    p.set_grad(Var(Tensor::full({1}, g, kFloat64)));
    sgd.step();
    values.push_back(p.item());
  }
  return values;
}

void check_path(const SgdOptions& options, const std::vector<double>& gradients,
                const std::vector<double>& want) {
  const auto got = sgd_path(options, gradients);
  for (size_t i = 0; i < want.size(); ++i) CHECK(got[i] == Approx(want[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("plain gradient descent", "[sgd]") {
  check_path({.lr = 0.1}, {1, -3}, {0.9, 1.2});
  check_path({.lr = 0.1, .maximize = true}, {1, -3}, {1.1, 0.8});
  check_path({.lr = 0.1, .weight_decay = 0.1}, {1, 0}, {0.89, 0.8811});
}

TEST_CASE("momentum adds up gradients; the first counts fully", "[sgd]") {
  check_path({.lr = 0.1, .momentum = 0.9}, {1, 1, 0}, {0.9, 0.71, 0.539});
  check_path({.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, {1, 1}, {0.9, 0.76});
  check_path({.lr = 0.1, .momentum = 0.9, .nesterov = true}, {1, 1}, {0.81, 0.539});
}

TEST_CASE("weight decay follows the sign of the objective, as in PyTorch", "[sgd]") {
  // g = -1 + 0.5·1 = -0.5
  check_path({.lr = 0.1, .weight_decay = 0.5, .maximize = true}, {1}, {1.05});
}

TEST_CASE("options of SGD that make no sense are refused", "[sgd]") {
  const std::vector<Var> params{Var(Tensor::ones({1}), true)};
  CHECK_THROWS_AS(SGD(params, {.lr = -1}), Error);
  CHECK_THROWS_AS(SGD(params, {.lr = NAN}), Error);
  CHECK_THROWS_AS(SGD(params, {.momentum = -0.1}), Error);
  CHECK_THROWS_AS(SGD(params, {.weight_decay = -0.1}), Error);
  CHECK_THROWS_AS(SGD(params, {.nesterov = true}), Error);
}
