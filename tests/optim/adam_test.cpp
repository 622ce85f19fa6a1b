#include "optim/adam.h"

#include "tests/catch.h"

using namespace glass;

namespace {

// One parameter of value 1 after each of the gradients.
template <class Optim, class Options>
std::vector<double> adam_path(const Options& options, const std::vector<double>& gradients) {
  const Var p(Tensor::full({1}, 1, kFloat64), true);
  Optim adam({p}, options);
  std::vector<double> values;
  for (const double g : gradients) {
    p.set_grad(Var(Tensor::full({1}, g, kFloat64)));
    adam.step();
    values.push_back(p.item());
  }
  return values;
}

}  // namespace

// m = 0.2, 0.08; v = 0.004, 0.004996; corrected 2, 0.4210526 and 4, 2.4992496.
TEST_CASE("Adam, two steps by hand", "[adam]") {
  const auto p = adam_path<Adam>(AdamOptions{.lr = 0.1}, {2, -1});
  CHECK(p[0] == Approx(0.9).epsilon(1e-8));
  CHECK(p[1] == Approx(0.8733663).epsilon(1e-7));
}

TEST_CASE("Adam uphill mirrors Adam downhill", "[adam]") {
  const auto down = adam_path<Adam>(AdamOptions{.lr = 0.1}, {2, -1});
  const auto up = adam_path<Adam>(AdamOptions{.lr = 0.1, .maximize = true}, {2, -1});
  CHECK(up[1] - 1 == Approx(1 - down[1]));
}

// v falls to 0.003996, the largest stays 0.004: 0.9 - 0.1·(0.18 / 0.19) / √(0.004 / 0.001999).
TEST_CASE("AMSGrad divides by the largest v so far", "[adam]") {
  const auto p = adam_path<Adam>(AdamOptions{.lr = 0.1, .amsgrad = true}, {2, 0});
  CHECK(p[1] == Approx(0.8330277).epsilon(1e-6));
}

TEST_CASE("weight decay enters Adam's gradient but bypasses it in AdamW", "[adam]") {
  // g = -1 + 0.5·1 < 0, and the first step is lr whatever the size.
  CHECK(adam_path<Adam>(AdamOptions{.lr = 0.1, .weight_decay = 0.5}, {-1})[0] == Approx(1.1));
  CHECK(adam_path<AdamW>(AdamWOptions{.lr = 0.1, .weight_decay = 0.5}, {2})[0] == Approx(0.85));
  CHECK(adam_path<AdamW>(AdamWOptions{.lr = 0.1}, {0})[0] == Approx(0.999));
}

TEST_CASE("a gradient of 0 from the start moves nothing", "[adam]") {
  CHECK(adam_path<Adam>(AdamOptions{}, {0, 0})[1] == 1);
}

TEST_CASE("options of Adam that make no sense are refused", "[adam]") {
  const std::vector<Var> params{Var(Tensor::ones({1}), true)};
  CHECK_THROWS_AS(Adam(params, {.betas = {1, 0.9}}), Error);
  CHECK_THROWS_AS(Adam(params, {.betas = {0.9, -0.1}}), Error);
  CHECK_THROWS_AS(Adam(params, {.eps = -1}), Error);
  CHECK_THROWS_WITH(AdamW(params, {.weight_decay = -1}),
                    Catch::Matchers::ContainsSubstring("AdamW"));
}
