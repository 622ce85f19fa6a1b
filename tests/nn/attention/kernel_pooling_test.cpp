#include "nn/attention/kernel_pooling.h"

#include <cmath>

#include "autograd/autograd.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

// Query 0, keys 0 and 2, bandwidth 1: K = 1 and exp(-2); weights 0.8807971 and 0.1192029.
TEST_CASE("kernel pooling gives the numbers worked out by hand", "[attention][pooling]") {
  const Var query = leaf({0.0}, {1, 1}), keys = leaf({0.0, 2.0}, {2, 1});
  const Var values = leaf({1.0, 3.0}, {2, 1});
  const Pooled y = kernel_pooling(query, keys, values, 1);
  check_close(y.weights, {0.88079708, 0.11920292});
  check_close(y.context, {1.23840584});
  // Bandwidth 4: 1 - ¼ for the second key of the epanechnikov kernel; both in the box.
  check_close(kernel_pooling(query, keys, values, 4, PoolingKernel::epanechnikov).weights,
              {1 / 1.75, 0.75 / 1.75});
  check_close(kernel_pooling(query, keys, values, 4, PoolingKernel::box).weights, {0.5, 0.5});
}

TEST_CASE("a narrow kernel finds the nearest neighbour", "[attention][pooling]") {
  Generator g(3);
  const Var query(uniform({5, 2}, -1, 1, kFloat64, g)), keys(uniform({7, 2}, -1, 1, kFloat64, g));
  const Var values(uniform({7, 3}, -1, 1, kFloat64, g));
  const Pooled y = kernel_pooling(query, keys, values, 1e-4);
  for (int64_t t = 0; t < 5; ++t) {
    int64_t nearest = 0;
    double least = INFINITY;
    for (int64_t j = 0; j < 7; ++j) {
      const double dx = query.value().at({t, 0}) - keys.value().at({j, 0});
      const double dy = query.value().at({t, 1}) - keys.value().at({j, 1});
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        nearest = j;
      }
    }
    check_close(select(y.context, 0, t), numbers(select(values, 0, nearest)));
  }
}

// h² underflows at 1e-200, and (q - k)/h overflows: the nearest key has all the weight all the
// same.
TEST_CASE("a kernel of no width to speak of finds the nearest key too", "[attention][pooling]") {
  const Var query = leaf({0.9}, {1, 1}), keys = leaf({0.0, 2.0, 1.0}, {3, 1});
  check_close(kernel_pooling(query, keys, keys, 1e-200).weights, {0, 0, 1});
  for (const double bandwidth : {0.0, -1.0, double(INFINITY), std::nan("")})
    CHECK(message_of([&] {
            kernel_pooling(query, keys, keys, bandwidth);
          }).find("bandwidth must be finite and positive") != std::string::npos);
}

TEST_CASE("a query with no key in reach gets nothing", "[attention][pooling]") {
  const Var query = leaf({9.0}, {1, 1}), keys = leaf({0.0, 2.0}, {2, 1});
  for (const PoolingKernel kernel : {PoolingKernel::epanechnikov, PoolingKernel::box})
    check_close(kernel_pooling(query, keys, keys, 1, kernel).context, {0});
}

TEST_CASE("a learned bandwidth fits a smooth curve", "[attention][pooling]") {
  Generator g(1);
  const Var x(uniform({40, 1}, 0, 5, kFloat64, g));
  const Var y = sin(x) * 2.0 + x;
  KernelPooling pooling(2);
  pooling.to(kFloat64);
  // Leave-one-out error falls as the bandwidth shrinks from far too wide.
  const Var others(Tensor::eye(40, kFloat64).to(kBool));
  double first = 0, last = 0;
  for (int step = 0; step < 60; ++step) {
    const Var weights = pooling(x, x, y).weights;
    const Var kept = where(others, 0.0, weights);
    const Var loss = mean(square(matmul(kept / sum(kept, {1}, true), y) - y));
    pooling.zero_grad();
    loss.backward();
    pooling.bandwidth.value().add_(pooling.bandwidth.grad().value(), -0.05);
    (step == 0 ? first : last) = loss.item();
  }
  CHECK(last < first / 4);
}
