// What medium precision does to products: operands rounded to bfloat16 where the processor can
// multiply those, nothing elsewhere.
#include "tensor/precision.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "tensor/cpu/gemm_bfloat16.h"
#include "tensor/memory.h"
#include "tensor/ops.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/catch.h"
#include "tests/skip.h"

using namespace glass;

namespace {

// To the nearest of 8 bits of mantissa, ties to even; subnormals are 0.
double as_bfloat16(double x) {
  const float f = static_cast<float>(x);
  if (std::isnan(f) || std::isinf(f)) return f;
  if (std::fpclassify(f) == FP_SUBNORMAL) return 0;
  const auto bits = std::bit_cast<uint32_t>(f);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

Tensor rounded(const Tensor& x) {
  const Tensor y = x.to(kFloat64).clone();
  for (int64_t i = 0; i < y.numel(); ++i) y.data<double>()[i] = as_bfloat16(y.data<double>()[i]);
  return y;
}

// Dense, and a transpose with rows apart.
std::vector<Tensor> both_ways(const Tensor& x) {
  const Tensor turned = Tensor::full({x.size(1), x.size(0) + 5}, NAN);
  std::vector<Tensor> all{x, turned.narrow(1, 3, x.size(0)).transpose(0, 1)};
  all[1].copy_(x);
  return all;
}

// Of y from sum + beta·start; what is no number is as far as can be.
double largest_difference(const Tensor& y, const Tensor& sum, double beta = 0,
                          const Tensor& start = {}) {
  double largest = 0;
  for (int64_t i = 0; i < y.size(0); ++i)
    for (int64_t j = 0; j < y.size(1); ++j) {
      const double want = sum.at({i, j}) + (beta == 0 ? 0 : beta * start.at({i, j}));
      const double difference = std::abs(y.at({i, j}) - want);
      largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
  return largest;
}

}  // namespace

TEST_CASE("medium precision: operands are rounded to bfloat16, sums are float32", "[precision]") {
  Generator random(5);
  // Sides that are and are not multiples of the tiles' 16 and 32; all large enough to be worth it.
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{64, 64, 64},
                                {33, 129, 65},
                                {100, 47, 96},
                                {24, 300, 127},
                                {257, 31, 70}}) {
    const Tensor a = normal({m, k}, 0, 1, kFloat32, random);
    const Tensor b = normal({k, n}, 0, 1, kFloat32, random);
    const Tensor exact = matmul(a.to(kFloat64), b.to(kFloat64));
    const Tensor coarse = has_bfloat16_units() ? matmul(rounded(a), rounded(b)) : exact;
    // At most 127 roundings by 2^-24 of sums whose terms' magnitudes add up to less than 2 · 127
    // (the mean of |a·b| is 0.64).
    const double tolerance = 127 * 2 * 127 * std::pow(2, -24);
    for (const Tensor& left : both_ways(a))
      for (const Tensor& right : both_ways(b))
        for (const double beta : {0.0, 1.0, -0.5}) {
          const Tensor start = normal({m, n}, 0, 1, kFloat32, random);
          const Tensor around = Tensor::full({m, n + 2}, 7), c = around.narrow(1, 1, n);
          c.copy_(beta == 0 ? Tensor::full({m, n}, NAN) : start);
          {
            const MatmulPrecisionGuard medium(MatmulPrecision::medium);
            gemm_into(left, right, beta, c);
          }
          REQUIRE(largest_difference(c, coarse, beta, start) < tolerance);
          for (int64_t i = 0; i < m; ++i) {
            REQUIRE(around.at({i, 0}) == 7);
            REQUIRE(around.at({i, n + 1}) == 7);
          }
          // Nothing remains of it.
          gemm_into(left, right, 0, c);
          REQUIRE(largest_difference(c, exact) < tolerance);
        }
    if (has_bfloat16_units()) CHECK(largest_difference(coarse, exact) > 10 * tolerance);
  }
}

TEST_CASE("medium precision: float64, vectors and small products stay as they are", "[precision]") {
  Generator random(6);
  for (const auto& [m, n, k, dtype] :
       {std::tuple<int64_t, int64_t, int64_t, DType>{64, 64, 64, kFloat64},
        {1, 512, 600, kFloat32},
        {512, 1, 600, kFloat32},
        {8, 8, 8, kFloat32}}) {
    const Tensor a = normal({m, k}, 0, 1, dtype, random), b = normal({k, n}, 0, 1, dtype, random);
    const Tensor highest = matmul(a, b);
    const MatmulPrecisionGuard medium(MatmulPrecision::medium);
    CHECK(largest_difference(matmul(a, b), highest) == 0);
  }
}

TEST_CASE("medium precision: not finite and very small and large numbers", "[precision]") {
  const MatmulPrecisionGuard medium(MatmulPrecision::medium);
  const double tiny = 1e-40, inf = INFINITY;
  const Tensor a = Tensor::zeros({64, 64}), one = Tensor::zeros({64, 64});
  const auto set = [](const Tensor& x, int64_t i, double value) {
    x.select(0, i).narrow(0, i, 1).fill_(value);
  };
  for (int64_t i = 0; i < 64; ++i) set(one, i, 1);
  set(a, 0, NAN);
  set(a, 1, inf);
  set(a, 2, -3e38);
  set(a, 3, tiny);
  const Tensor y = matmul(a, one);
  CHECK(std::isnan(y.at({0, 0})));
  CHECK(std::isnan(y.at({0, 5})));  // NaN · 0
  CHECK(y.at({1, 1}) == inf);
  CHECK(std::isnan(y.at({1, 2})));  // ∞ · 0
  CHECK(std::abs(y.at({2, 2}) + 3e38) < 3e38 / 256);
  CHECK(std::abs(y.at({3, 3})) <= tiny);
  CHECK(y.at({4, 4}) == 0);
}

TEST_CASE("medium precision: the same bits for every number of threads", "[precision]") {
  Generator random(7);
  const Tensor a = normal({203, 333}, 0, 1, kFloat32, random);
  const Tensor b = normal({333, 190}, 0, 1, kFloat32, random);
  if (!has_bfloat16_units()) return;  // then they are those of BLAS
  const MatmulPrecisionGuard medium(MatmulPrecision::medium);
  const int before = num_threads();
  set_num_threads(1);
  const std::vector<float> alone = matmul(a, b).to_vector<float>();
  for (const int threads : {2, 3, 5}) {
    set_num_threads(threads);
    CHECK((matmul(a, b).to_vector<float>() == alone));
  }
  set_num_threads(before);
}

// In a child, whose memory is limited. A sanitizer keeps more of it than a limit may allow.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a coarse product without memory for packing says so and leaves the result alone",
          "[precision]") {
  if (!has_bfloat16_units()) return glass::tests::skip("no units for bfloat16");
  constexpr int64_t m = 100'000, n = 32, k = 2'000;  // 400 MB when packed
  const Tensor row = Tensor::ones({k}), c = Tensor::full({m, n}, 7);
  const auto product = [&] {
    const cpu::Matrix<float> rows{row.data<float>(), 0}, columns{row.data<float>(), 0, true};
    return cpu::multiply_bfloat16(rows, columns, 0, c.data<float>(), n, m, n, k, true);
  };
  const pid_t child = fork();
  if (child == 0) {
    release_cached_memory();
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto now = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE));
    const rlimit limit{now + (1 << 20), now + (1 << 20)};
    setrlimit(RLIMIT_AS, &limit);
    _exit(product() ? 1 : c.at({0, 0}) != 7 ? 2 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

TEST_CASE("precisions have PyTorch's names", "[precision]") {
  CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
  for (const std::string& text : matmul_precision_names())
    CHECK(name(matmul_precision_named(text)) == text);
  CHECK_THROWS_WITH(matmul_precision_named("high"),
                    "matmul precision: must be highest or medium: got high");
  {
    const MatmulPrecisionGuard medium(MatmulPrecision::medium);
    CHECK(get_float32_matmul_precision() == MatmulPrecision::medium);
  }
  CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
}
