#include "autograd/ops/matmul.h"

#include "autograd/autograd.h"
#include "tensor/random.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

constexpr int64_t kBatch = 2, kQueries = 20, kKeys = 400, kSize = 32;

// Scores of all queries, and sums of values by them; one query at a time or all at once.
Var read(const Var& queries, const Var& keys, const Var& values, bool at_once) {
  const auto ask = [&](const Var& query) { return matmul(matmul_transposed(query, keys), values); };
  if (at_once) return ask(queries);
  std::vector<Var> answers;
  for (int64_t t = 0; t < kQueries; ++t) answers.push_back(ask(narrow(queries, 1, t, 1)));
  return cat(answers, 1);
}

}  // namespace

TEST_CASE("keys and values that a loop asks get their gradients as one product", "[autograd]") {
  Generator random(5);
  const auto draw = [&](const Shape& shape) {
    return Var(uniform(shape, -1, 1, kFloat64, random), true);
  };
  const Var queries = draw({kBatch, kQueries, kSize});
  const Var keys = draw({kBatch, kKeys, kSize}), values = draw({kBatch, kKeys, kSize});
  const Var seed(uniform({kBatch, kQueries, kSize}, -1, 1, kFloat64, random));
  std::vector<std::vector<double>> found[2];
  for (const bool at_once : {false, true}) {
    for (const Var* v : {&queries, &keys, &values}) v->zero_grad();
    sum(read(queries, keys, values, at_once) * seed).backward();
    for (const Var* v : {&queries, &keys, &values}) found[at_once].push_back(numbers(v->grad()));
  }
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < found[0][i].size(); ++k)
      REQUIRE(found[0][i][k] == Approx(found[1][i][k]).margin(1e-10));
}
