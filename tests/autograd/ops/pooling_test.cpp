// Pooling at the border (B34), worked out by hand.
#include "autograd/ops/pooling.h"

#include "autograd/autograd.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var nine() { return leaf({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3}); }

}  // namespace

TEST_CASE("padding never wins a maximum", "[ops]") {
  const Var x = leaf({-3, -1, -5, -2}, {1, 2, 2});
  const Var y = max_pool2d(x, {2}, {.stride = {1}, .padding = {1}}).values;
  CHECK(numbers(y) == std::vector<double>{-3, -1, -1, -3, -1, -1, -5, -2, -2});
  y.backward(Var(Tensor::from({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}, {1, 3, 3})));
  CHECK(numbers(x.grad()) == std::vector<double>{5, 16, 7, 17});

  const Var line = leaf({-4, -1, -6}, {1, 3});
  const Var z = max_pool1d(line, {3}, {.stride = {2}, .padding = {1}}).values;
  CHECK(numbers(z) == std::vector<double>{-1, -1});
  sum(z).backward();
  CHECK(numbers(line.grad()) == std::vector<double>{0, 2, 0});
}

TEST_CASE("an average counts the padding, or does not", "[ops]") {
  const Var counted = avg_pool2d(nine(), {2}, {.stride = {2}, .padding = {1}});
  CHECK(numbers(counted) == std::vector<double>{0.25, 1.25, 2.75, 7});
  const Var x = nine();
  const Var not_counted =
      avg_pool2d(x, {2}, {.stride = {2}, .padding = {1}, .count_include_pad = false});
  CHECK(numbers(not_counted) == std::vector<double>{1, 2.5, 5.5, 7});
  sum(not_counted).backward();
  CHECK(numbers(x.grad()) == std::vector<double>{1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25});
}

TEST_CASE("what sticks out of the plane is never counted, what is left over gets nothing",
          "[ops]") {
  CHECK(numbers(avg_pool2d(nine(), {2}, {.ceil_mode = true})) ==
        std::vector<double>{3, 4.5, 7.5, 9});
  const Var x = nine();
  const Var y = avg_pool2d(x, {2});
  CHECK(numbers(y) == std::vector<double>{3});
  y.backward(Var(Tensor::ones({1, 1, 1}, kFloat64)));
  CHECK(numbers(x.grad()) == std::vector<double>{0.25, 0.25, 0, 0.25, 0.25, 0, 0, 0, 0});
  CHECK(numbers(max_pool2d(nine(), {2}, {.ceil_mode = true}).values) ==
        std::vector<double>{5, 6, 8, 9});
}

TEST_CASE("every pooling refuses padding beyond half its window", "[ops]") {
  const auto refused = [](const auto& call) {
    CHECK_THAT(message_of([&] { static_cast<void>(call()); }), ContainsSubstring("half"));
  };
  refused([] { return max_pool2d(nine(), {3}, {.padding = {2}}); });
  refused([] { return avg_pool2d(nine(), {3}, {.padding = {2}}); });
  refused([] { return max_pool1d(leaf({1, 2, 3}, {1, 3}), {3}, {.padding = {2}}); });
  refused([] { return avg_pool1d(leaf({1, 2, 3}, {1, 3}), {3}, {.padding = {2}}); });
}
