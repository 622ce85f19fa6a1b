#include "autograd/ops/window.h"

#include <cstdint>
#include <limits>

#include "autograd/autograd.h"
#include "tensor/memory.h"
#include "tensor/random.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

Tensor starts(std::initializer_list<int64_t> values, const Shape& shape) {
  return Tensor::from(values, shape);
}

Var drawn_leaf(const Shape& shape, uint64_t seed, bool wants_gradient = true) {
  Generator g(seed);
  return Var(uniform(shape, -1, 1, kFloat64, g), wants_gradient);
}

bool all_zero(const Tensor& x) {
  for (double v : x.to_vector<double>())
    if (v != 0) return false;
  return true;
}

}  // namespace

// Keys (1, 2), (3, 4), (5, 6); queries (1, 10) with keys -1 … 1 and (2, 1) with keys 1 … 3.
TEST_CASE("windows of a small sequence, by hand", "[window]") {
  const Var keys = leaf({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  const Var query = leaf({1, 10, 2, 1}, {1, 2, 2});
  const Tensor start = starts({-1, 1}, {1, 2});
  const Var scores = window_scores(query, keys, start, 3);
  CHECK(scores.shape() == Shape{1, 2, 3});
  check_close(scores, {0, 21, 43, 10, 16, 0});

  const Var weights = leaf({7, 2, 1, 1, -1, 9}, {1, 2, 3});
  check_close(window_sum(weights, keys, start), {2 * 1 + 3, 2 * 2 + 4, 3 - 5, 4 - 6});
  check_close(window_outer(weights, query, start, 3), {2, 20, 1 + 2, 10 + 1, -2, -1});
  check_close(window_gather(keys, start, 3), {0, 0, 1, 2, 3, 4, 3, 4, 5, 6, 0, 0});
  check_close(window_dense(weights, start, 3), {2, 1, 0, 0, 1, -1});
  check_close(window_scatter(Var(Tensor::ones({1, 2, 3, 1}, kFloat64)), start, 3), {1, 2, 1});

  sum(scores).backward();
  check_close(query.grad(), {1 + 3, 2 + 4, 3 + 5, 4 + 6});
  check_close(keys.grad(), {1, 10, 1 + 2, 10 + 1, 2, 1});
}

TEST_CASE("a window over all keys is the whole product", "[window]") {
  const Var query = drawn_leaf({2, 3, 4}, 1), keys = drawn_leaf({2, 5, 4}, 2),
            values = drawn_leaf({2, 5, 3}, 3);
  const Tensor start = starts({0, 0, 0, 0, 0, 0}, {2, 3});
  const Var up = drawn_leaf({2, 3, 3}, 4, false);
  const Var scores = window_scores(query, keys, start, 5);
  check_close(scores, numbers(matmul(query, transpose(keys, 1, 2))));
  window_sum(scores, values, start).backward(up);
  const std::vector<Var> got{query.grad(), keys.grad(), values.grad()};
  for (const Var& v : {query, keys, values}) v.zero_grad();
  matmul(matmul(query, transpose(keys, 1, 2)), values).backward(up);
  check_close(got[0], numbers(query.grad()));
  check_close(got[1], numbers(keys.grad()));
  check_close(got[2], numbers(values.grad()));
}

TEST_CASE("starts as far out as int64 goes see nothing", "[window]") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Tensor start = starts({kMin, kMax, kMin + 2, kMax - 2}, {1, 4});
  const Var query = drawn_leaf({1, 4, 2}, 1), keys = drawn_leaf({1, 3, 2}, 2),
            weights = drawn_leaf({1, 4, 3}, 3);
  CHECK(all_zero(window_scores(query, keys, start, 3).value()));
  CHECK(all_zero(window_sum(weights, keys, start).value()));
  CHECK(all_zero(window_gather(keys, start, 3).value()));
  CHECK(all_zero(window_dense(weights, start, 3).value()));
  CHECK(all_zero(window_outer(weights, query, start, 3).value()));
  (sum(window_scores(query, keys, start, 3)) + sum(window_gather(keys, start, 3))).backward();
  CHECK(all_zero(query.grad().value()));
  CHECK(all_zero(keys.grad().value()));
}

TEST_CASE("keys outside every window are never read", "[window]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Var keys = leaf({nan, 1, 2, nan, nan}, {1, 5, 1});
  const Var query = leaf({3, 5}, {1, 2, 1}), weights = leaf({1, 2, 3, 4}, {1, 2, 2});
  const Tensor start = starts({1, 1}, {1, 2});
  const Var y = sum(window_scores(query, keys, start, 2)) + sum(window_sum(weights, keys, start)) +
                sum(window_gather(keys, start, 2));
  // 3·(1 + 2) + 5·(1 + 2) + (1·1 + 2·2) + (3·1 + 4·2) + 2·(1 + 2)
  CHECK(y.item() == Approx(46));
  y.backward();
  check_close(keys.grad(), {0, 3 + 5 + 1 + 3 + 2, 3 + 5 + 2 + 4 + 2, 0, 0});
}

TEST_CASE("keys with the batch axis second are read in place", "[window]") {
  const Var keys = drawn_leaf({5, 2, 3}, 1), query = drawn_leaf({2, 2, 3}, 2),
            w = drawn_leaf({2, 2, 3}, 3);
  const Tensor start = starts({-1, 1, 3, 2}, {2, 2});
  const Var turned = transpose(keys, 0, 1), dense(turned.value().contiguous(), true);
  check_close(window_scores(query, turned, start, 3),
              numbers(window_scores(query, dense, start, 3)));
  check_close(window_sum(w, turned, start), numbers(window_sum(w, dense, start)));
  check_close(window_gather(turned, start, 3), numbers(window_gather(dense, start, 3)));

  const Var big(Tensor::zeros({4000, 2, 64}), true);
  const Var one(Tensor::ones({2, 1, 64}));
  const Tensor first = starts({7, 9}, {2, 1});
  const Var keys_now = transpose(big, 0, 1);
  reset_peak_memory();
  const int64_t before = memory_stats().live;
  window_scores(one, keys_now, first, 4);
  CHECK(memory_stats().peak - before < 64 << 10);  // the keys take 2 MB
}

// 20 steps on keys of 2 MB: one gradient of that size, not twenty.
TEST_CASE("a decoder's steps add to one gradient of the keys", "[window]") {
  constexpr int64_t kSteps = 20, kKeys = 4000, kFeatures = 128;
  Generator g(1);
  const Var keys(uniform({1, kKeys, kFeatures}, -1, 1, kFloat32, g), true);
  const Var query(uniform({1, kSteps, kFeatures}, -1, 1, kFloat32, g), true);
  const auto start = [](int64_t t) { return 150 * t - 2; };
  std::vector<Var> steps;
  for (int64_t t = 0; t < kSteps; ++t) {
    const Tensor first = Tensor::full({1, 1}, static_cast<double>(start(t)), kInt64);
    const Var e = window_scores(narrow(query, 1, t, 1), keys, first, 5);
    steps.push_back(window_sum(e, keys, first));
  }
  const Var once = cat(steps, 1);
  const int64_t before = memory_stats().live;
  reset_peak_memory();
  once.backward(Var(Tensor::ones(once.shape())));
  CHECK(memory_stats().peak - before < 4 << 20);
  const std::vector<Var> one_by_one{query.grad(), keys.grad()};
  for (const Var& v : {query, keys}) v.zero_grad();

  Tensor first = Tensor::zeros({1, kSteps}, kInt64);
  for (int64_t t = 0; t < kSteps; ++t) first.data<int64_t>()[t] = start(t);
  const Var all = window_sum(window_scores(query, keys, first, 5), keys, first);
  CHECK(numbers(all) == numbers(once));
  all.backward(Var(Tensor::ones(all.shape())));
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<double> a = numbers(one_by_one[i]),
                              b = numbers(i == 0 ? query.grad() : keys.grad());
    double apart = 0;
    for (size_t k = 0; k < a.size(); ++k) apart = std::max(apart, std::abs(a[k] - b[k]));
    CHECK(apart < 1e-5);
  }
}

TEST_CASE("the same Var may be queries, keys and values", "[window]") {
  const Var x = drawn_leaf({1, 4, 3}, 1);
  const Tensor start = starts({-1, 0, 1, 2}, {1, 4});
  const auto y = [&](const Var& q, const Var& k, const Var& v) {
    return sum(window_sum(window_scores(q, k, start, 3), v, start));
  };
  y(x, x, x).backward();
  const Var q(x.value().clone(), true), k(x.value().clone(), true), v(x.value().clone(), true);
  y(q, k, v).backward();
  check_close(x.grad(), numbers(q.grad() + k.grad() + v.grad()));
}
