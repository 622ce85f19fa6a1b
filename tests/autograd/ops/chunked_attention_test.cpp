#include "autograd/ops/chunked_attention.h"

#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "tensor/memory.h"
#include "tensor/ops.h"
#include "tensor/random.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

struct AttentionCase {
  Var query, key, value, context;
  AttentionCase(int64_t N, int64_t T, int64_t S, int64_t D, int64_t K, DType dtype = kFloat64) {
    Generator g(7);
    query = Var(uniform({N, T, D}, -2, 2, dtype, g), true);
    key = Var(uniform({N, S, D}, -2, 2, dtype, g), true);
    value = Var(uniform({N, S, K}, -2, 2, dtype, g), true);
  }
  void chunked(const Tensor& allowed, double scale, int64_t chunk = 128) {
    context = chunked_attention(query, key, value, allowed, scale, chunk);
  }
  void plain(const Tensor& allowed, double scale) {
    const Var scores = matmul(query * scale, transpose(key, -2, -1));
    context = matmul(masked_softmax(scores, allowed), value);
  }
  // The context and the gradients, for an upstream gradient of mixed signs.
  std::vector<Tensor> results() {
    for (const Var& v : {query, key, value}) v.zero_grad();
    Generator g(9);
    context.backward(Var(uniform(context.shape(), -1, 1, context.dtype(), g)));
    return {context.value(), query.grad().value(), key.grad().value(), value.grad().value()};
  }
};

double apart(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, amax(abs(a[i] - b[i])).item());
  return most;
}

Tensor causal(int64_t T, int64_t S) {
  const Tensor may = Tensor::empty({T, S}, kBool);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) may.data<bool>()[t * S + s] = s <= t;
  return may;
}

}  // namespace

// Scores ln 2 and 0 for the first query, 0 and 0 for the second.
TEST_CASE("chunked attention of two keys, by hand", "[chunked]") {
  const Var query = leaf({std::log(2.0), 0}, {1, 2, 1});
  const Var key = leaf({1, 0}, {1, 2, 1}), value = leaf({3, 9}, {1, 2, 1});
  const Var y = chunked_attention(query, key, value, {}, 1);
  check_close(y, {3 * 2 / 3. + 9 / 3., 6});
  check_close(chunked_attention(query, key, value, {}, 2), {3 * 4 / 5. + 9 / 5., 6});
  const Tensor second = Tensor::from({0., 1.}, {2}).to(kBool);
  check_close(chunked_attention(query, key, value, second, 1), {9, 9});
  y.backward(Var(Tensor::from({1., 0.}, {1, 2, 1})));
  // dS = P∘(V - y) = (2/3·(3 - 5), 1/3·(9 - 5))
  check_close(query.grad(), {-4 / 3., 0});
  check_close(key.grad(), {-4 / 3. * std::log(2.0), 4 / 3. * std::log(2.0)});
  check_close(value.grad(), {2 / 3., 1 / 3.});
}

TEST_CASE("the size of the chunks does not change the result", "[chunked]") {
  AttentionCase attention(3, 11, 7, 4, 5);
  const Tensor may = causal(11, 7);
  attention.plain(may, 0.5);
  const auto want = attention.results();
  for (int64_t chunk : {1, 2, 4, 10, 11, 12, 128}) {
    INFO(chunk);
    attention.chunked(may, 0.5, chunk);
    CHECK(apart(attention.results(), want) < 1e-13);
  }
}

TEST_CASE("chunked attention takes masks of every layout", "[chunked]") {
  AttentionCase attention(2, 6, 5, 3, 2);
  Generator g(5);
  const Tensor bits = bernoulli({2, 6, 5}, 0.6, g), columns = bernoulli({5, 6}, 0.6, g);
  for (const Tensor& may :
       {bits, bits.narrow(1, 2, 1), bits.narrow(2, 1, 1), bits.narrow(0, 1, 1), bits.select(0, 0),
        columns.transpose(0, 1), bits.narrow(1, 1, 1).narrow(2, 1, 1)}) {
    INFO(to_string(may));
    attention.plain(may, 1);
    const auto want = attention.results();
    for (int64_t chunk : {4, 128}) {
      attention.chunked(may, 1, chunk);
      CHECK(apart(attention.results(), want) < 1e-13);
    }
  }
}

TEST_CASE("keys that no query may see hold anything", "[chunked]") {
  AttentionCase attention(2, 5, 4, 3, 2);
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity()};
  Tensor may = Tensor::full({2, 5, 4}, 1, kBool);
  may.narrow(2, 3, 1).fill_(0);
  may.select(0, 0).select(0, 4).fill_(0);  // and a query without any key
  attention.plain(may, 1);
  const auto want = attention.results();
  for (double value : bad) {
    for (const Var& v : {attention.key, attention.value}) v.value().narrow(1, 3, 1).fill_(value);
    attention.chunked(may, 1, 2);
    const auto got = attention.results();
    CHECK(apart(got, want) < 1e-13);
    for (double d : got[1].select(0, 0).select(0, 4).to_vector<double>()) CHECK(d == 0);
    for (double d : got[0].select(0, 0).select(0, 4).to_vector<double>()) CHECK(d == 0);
  }
}

// One product per score, so that both paths round it alike. A sum of exponentials kept as its
// logarithm, here near 1000, would cost four digits of the gradients.
TEST_CASE("large scores lose no digits to the blocks", "[chunked]") {
  AttentionCase attention(1, 9, 8, 1, 2, kFloat32);
  attention.plain({}, 300);
  const auto want = attention.results();
  attention.chunked({}, 300, 4);
  const auto got = attention.results();
  CHECK(apart({got[0], got[3]}, {want[0], want[3]}) < 1e-6);
}

TEST_CASE("a query that sees nothing stays 0 whatever its scores", "[chunked]") {
  const Var query = leaf({1000, -1000}, {1, 2, 1});
  const Var key = leaf({1000, 999}, {1, 2, 1}), value = leaf({3, 9}, {1, 2, 1});
  const Tensor none = Tensor::zeros({1}, kBool), second = Tensor::from({0., 1.}, {2, 1}).to(kBool);
  const Var up(Tensor::ones({1, 2, 1}, kFloat64));
  const Var nothing = chunked_attention(query, key, value, none, 1);
  check_close(nothing, {0, 0});
  nothing.backward(up);
  for (const Var& v : {query, key, value}) check_close(v.grad(), {0, 0});
  const Var y = chunked_attention(query, key, value, second, 1);
  check_close(y, {0, 9});  // the scores -10⁶ and -999000 leave the second key alone
  y.backward(up);
  check_close(value.grad(), {0, 1});
  check_close(query.grad(), {0, 0});
}

// At 4096 × 4096 the plain path holds matrices of 64 MB.
TEST_CASE("long attention takes little memory and equals the plain path", "[chunked]") {
  AttentionCase attention(1, 4096, 4096, 64, 64, kFloat32);
  const double scale = 1 / 8.0;
  const Tensor keys = Tensor::full({4096}, 1, kBool);  // of 4 KB; as a matrix it takes 16 MB
  keys.narrow(0, 4000, 96).fill_(0);
  for (const Tensor& may : {Tensor(), keys}) {
    attention.chunked(may, scale);
    attention.results();  // the gradients are there already: what is new is the attention's
    attention.context = Var();
    reset_peak_memory();
    const int64_t before = memory_stats().live;
    attention.chunked(may, scale);
    const auto got = attention.results();
    CHECK(memory_stats().peak - before < 40'000'000);
    attention.plain(may, scale);
    CHECK(apart(got, attention.results()) < 1e-5);
  }
}
