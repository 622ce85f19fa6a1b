// Products of one row or one column take a way of their own through BLAS.
#include <cmath>

#include "tensor/ops.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/catch.h"

using namespace glass;

namespace {

// x as a view of these strides' kinds: dense, transposed, rows apart, or every second element.
std::vector<Tensor> layouts(const Tensor& x) {
  const int64_t m = x.size(0), n = x.size(1);
  const Tensor turned = Tensor::empty({n, m}, x.dtype());
  const Tensor wide = Tensor::full({m, n + 3}, NAN, x.dtype());
  const Tensor sparse = Tensor::full({m, 2 * n}, NAN, x.dtype());
  std::vector<Tensor> all{x, turned.transpose(0, 1), wide.narrow(1, 2, n),
                          sparse.slice(1, 0, 2 * n, 2)};
  for (Tensor& view : all) view.copy_(x);
  return all;
}

double product(const Tensor& a, const Tensor& b, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < a.size(1); ++c) sum += a.at({i, c}) * b.at({c, j});
  return sum;
}

}  // namespace

TEST_CASE("one row and one column are products like others, in every layout", "[tensor]") {
  for (const DType dtype : {kFloat32, kFloat64}) {
    Generator random(3);
    const double rounding = dtype == kFloat32 ? 1e-5 : 1e-13;  // of 37 terms below 1
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 21}, {21, 1}, {1, 1}, {2, 21}}) {
      const Tensor a = uniform({m, 37}, -1, 1, dtype, random);
      const Tensor b = uniform({37, n}, -1, 1, dtype, random);
      for (const Tensor& left : layouts(a))
        for (const Tensor& right : layouts(b)) {
          const Tensor y = matmul(left, right), start = uniform({m, n}, -1, 1, dtype, random);
          for (const Tensor& sum : layouts(start.clone())) {
            gemm_into(left, right, 1, sum);
            const Tensor fresh = Tensor::full({m, n}, NAN, dtype);
            gemm_into(left, right, 0, fresh);
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < n; ++j) {
                const double want = product(a, b, i, j);
                REQUIRE(std::abs(y.at({i, j}) - want) < rounding);
                REQUIRE(std::abs(fresh.at({i, j}) - want) < rounding);
                REQUIRE(std::abs(sum.at({i, j}) - start.at({i, j}) - want) < rounding);
              }
          }
        }
    }
  }
}

TEST_CASE("a row against batches of keys, and as many as threads share", "[tensor]") {
  Generator random(4);
  const Tensor query = uniform({3, 1, 64}, -1, 1, kFloat64, random);
  const Tensor keys = uniform({3, 40'000, 64}, -1, 1, kFloat64, random);
  const Tensor scores = matmul(query, keys.transpose(1, 2));
  for (const int64_t s : {0L, 1L, 19'999L, 39'999L})
    for (int64_t b = 0; b < 3; ++b)
      CHECK(std::abs(scores.at({b, 0, s}) -
                     product(query.select(0, b), keys.select(0, b).transpose(0, 1), 0, s)) < 1e-13);
}

TEST_CASE("products have the same bits whenever as many threads share them", "[tensor]") {
  Generator random(6);
  const int before = num_threads();
  for (const DType dtype : {kFloat32, kFloat64}) {
    const Tensor wide = uniform({1'003, 3'001}, -1, 1, dtype, random);
    const Tensor left = uniform({1, 1'003}, -1, 1, dtype, random);
    const Tensor right = uniform({3'001, 1}, -1, 1, dtype, random);
    const Tensor rows = uniform({33, 5'000}, -1, 1, dtype, random);  // parts leave one row over
    const auto all = [&] {
      std::vector<double> values;
      for (const Tensor& y :
           {matmul(left, wide), matmul(wide, right),
            matmul(wide.transpose(0, 1), left.transpose(0, 1)), matmul(rows, rows.transpose(0, 1))})
        for (const double value : y.to(kFloat64).to_vector<double>()) values.push_back(value);
      return values;
    };
    for (const int threads : {1, 2, 3, 7}) {
      set_num_threads(threads);
      const std::vector<double> first = all();
      for (int again = 0; again < 3; ++again) CHECK((all() == first));
    }
  }
  set_num_threads(before);
}
