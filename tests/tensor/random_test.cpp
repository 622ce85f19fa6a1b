#include "tensor/random.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tensor/parallel.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

using Block = std::array<uint32_t, 4>;

// Mean and variance of the values.
struct Moments {
  double mean = 0, variance = 0;
};
template <class T>
Moments moments(const std::vector<T>& values) {
  Moments m;
  for (T x : values) m.mean += static_cast<double>(x);
  m.mean /= static_cast<double>(values.size());
  for (T x : values) m.variance += (x - m.mean) * (x - m.mean);
  m.variance /= static_cast<double>(values.size());
  return m;
}

Block block_of(uint64_t key, uint64_t counter) {
  return philox({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0},
                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

}  // namespace

TEST_CASE("philox gives the published answers", "[random]") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint32_t f = 0xffffffff;
  CHECK(philox({f, f, f, f}, {f, f}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("element i of a draw comes from its documented block and lanes", "[random]") {
  // The counter crosses 2^32 inside the draw; 1201 elements end inside a block and inside a chunk.
  const uint64_t key = 0x0123456789abcdef, start = 0xfffffff0;
  const int64_t n = 1201;
  Generator g = Generator::from({key, start});
  const auto f32 = uniform({n}, 0, 1, kFloat32, g).to_vector<float>();
  CHECK(g.counter() == start + 301);
  g.seek(start);
  const auto f64 = uniform({n}, 0, 1, kFloat64, g).to_vector<double>();
  CHECK(g.counter() == start + 601);
  g.seek(start);
  const auto truth = bernoulli({n}, 0.25, g).to_vector<bool>();
  CHECK(g.counter() == start + 301);
  g.seek(start);
  const auto whole = randint(-3, 7, {n}, g).to_vector<int64_t>();
  CHECK(g.counter() == start + 601);
  int wrong = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(i);
    const uint32_t lane = block_of(key, start + static_cast<uint64_t>(i / 4))[at % 4];
    wrong += f32[at] != std::ldexp(static_cast<float>(lane >> 8), -24);
    wrong += truth[at] != (lane < (uint32_t{1} << 30));
    const Block pair = block_of(key, start + static_cast<uint64_t>(i / 2));
    const uint64_t bits = uint64_t{pair[2 * (at % 2) + 1]} << 32 | pair[2 * (at % 2)];
    wrong += f64[at] != std::ldexp(static_cast<double>(bits >> 11), -53);
    wrong += whole[at] !=
             -3 + static_cast<int64_t>(std::ldexp(static_cast<long double>(bits), -64) * 10);
  }
  CHECK(wrong == 0);
}

TEST_CASE("normal numbers follow Box and Muller", "[random]") {
  const uint64_t key = 99;
  Generator g(key);
  const auto f32 = normal({7}, 1, 2, kFloat32, g).to_vector<float>();
  CHECK(g.counter() == 2);
  g.seek(0);
  const auto f64 = normal({7}, 1, 2, kFloat64, g).to_vector<double>();
  CHECK(g.counter() == 4);
  const double turn = 2 * std::acos(-1.0);
  for (size_t i = 0; i < 7; ++i) {
    const Block four = block_of(key, i / 4);
    const size_t l = i % 4 / 2 * 2;
    double r = std::sqrt(-2 * std::log((four[l] + 1.0) / 4294967296.0));
    double a = turn * four[l + 1] / 4294967296.0;
    CHECK(f32[i] == Approx(1 + 2 * r * (i % 2 ? std::sin(a) : std::cos(a))).margin(1e-6));
    const Block all = block_of(key, i / 2);
    auto unit = [](uint64_t low, uint64_t high) {
      return std::ldexp(static_cast<double>((high << 32 | low) >> 11), -53);
    };
    r = std::sqrt(-2 * std::log(1 - unit(all[0], all[1])));
    a = turn * unit(all[2], all[3]);
    CHECK(f64[i] == Approx(1 + 2 * r * (i % 2 ? std::sin(a) : std::cos(a))).margin(1e-12));
  }
}

TEST_CASE("a draw does not depend on the number of threads", "[random]") {
  const int before = num_threads();
  auto all = [] {
    Generator g(7);
    std::vector<double> values;
    for (const Tensor& t :
         {uniform({100003}, -1, 1, kFloat32, g), normal({100003}, 0, 1, kFloat32, g),
          normal({50001}, 0, 1, kFloat64, g), bernoulli({100003}, 0.3, g).to(kFloat32),
          randint(0, 1000, {50001}, g)}) {
      const auto some = t.to(kFloat64).to_vector<double>();
      values.insert(values.end(), some.begin(), some.end());
    }
    return values;
  };
  set_num_threads(1);
  const auto one = all();
  for (int threads : {2, 3, 8}) {
    set_num_threads(threads);
    CHECK(all() == one);
  }
  set_num_threads(before);
}

TEST_CASE("the beginning of a draw does not depend on its length", "[random]") {
  // Whatever loop computes them, vector or rest: the values must be equal bit for bit.
  Generator g(3);
  const auto longest = normal({5000}, 0, 1, kFloat64, g).to_vector<double>();
  for (int64_t n : {1, 2, 3, 7, 8, 31, 255, 256, 257, 4999}) {
    g.seek(0);
    const auto some = normal({n}, 0, 1, kFloat64, g).to_vector<double>();
    CHECK(std::equal(some.begin(), some.end(), longest.begin()));
  }
}

TEST_CASE("the state of a generator restores its stream", "[random]") {
  Generator g(42);
  CHECK(g.state() == Generator::State{42, 0});
  uniform({10}, 0, 1, kFloat32, g);
  const Generator::State saved = g.state();
  CHECK(saved == Generator::State{42, 3});
  const auto a = normal({9}, 0, 1, kFloat32, g).to_vector<float>();
  const int64_t i = g.draw_int(1000);
  Generator other = Generator::from(saved);
  CHECK(normal({9}, 0, 1, kFloat32, other).to_vector<float>() == a);
  CHECK(other.draw_int(1000) == i);
  CHECK(other.state() == g.state());
  CHECK(Generator(43).draw_uniform() != Generator(42).draw_uniform());
  // The high half of a seed counts as well.
  CHECK(Generator(uint64_t{1} << 32).draw_uniform() != Generator(0).draw_uniform());
}

TEST_CASE("draws have the moments of their distributions", "[random]") {
  // 400000 values: a mean is off by more than 5 standard errors once in a million seeds.
  const int64_t n = 400000;
  Generator g(2024);
  const auto u32 = moments(uniform({n}, 2, 6, kFloat32, g).to_vector<float>());
  CHECK(u32.mean == Approx(4).margin(5 * 4 / std::sqrt(12.0 * n)));
  CHECK(u32.variance == Approx(16.0 / 12).epsilon(0.01));
  const auto u64 = moments(uniform({n}, 0, 1, kFloat64, g).to_vector<double>());
  CHECK(u64.mean == Approx(0.5).margin(5 / std::sqrt(12.0 * n)));
  const auto normals = normal({n}, -1, 3, kFloat32, g).to_vector<float>();
  const auto z = moments(normals);
  CHECK(z.mean == Approx(-1).margin(5 * 3 / std::sqrt(1.0 * n)));
  CHECK(z.variance == Approx(9).epsilon(0.02));
  const auto beyond = std::count_if(normals.begin(), normals.end(),
                                    [](float x) { return std::abs(x + 1) > 2 * 3; });
  CHECK(static_cast<double>(beyond) / n == Approx(0.0455003).epsilon(0.05));
  // Neighbours are uncorrelated: lanes of one block, and the two of a Box-Muller pair.
  double product = 0;
  for (size_t i = 0; i + 1 < normals.size(); ++i)
    product += (normals[i] + 1.0) * (normals[i + 1] + 1.0);
  CHECK(product / n == Approx(0).margin(5 * 9 / std::sqrt(1.0 * n)));
  const auto b = bernoulli({n}, 0.1, g).to_vector<bool>();
  CHECK(std::count(b.begin(), b.end(), true) / double(n) ==
        Approx(0.1).margin(5 * std::sqrt(0.09 / n)));
}

TEST_CASE("uniform stays below high when rounding would reach it", "[random]") {
  Generator g(5);
  // Between these bounds float32 has one value only, and half of all sums round up to high.
  const float low = 16777216, high = 16777218;
  for (float x : uniform({1000}, low, high, kFloat32, g).to_vector<float>()) CHECK(x == low);
  for (float x : uniform({100}, 3, 3, kFloat32, g).to_vector<float>()) CHECK(x == 3);
  const auto values = uniform({100000}, -1e-30, 1, kFloat32, g).to_vector<float>();
  CHECK(*std::max_element(values.begin(), values.end()) < 1);
  CHECK(*std::min_element(values.begin(), values.end()) >= -1e-30f);
}

TEST_CASE("bernoulli is certain at 0 and 1", "[random]") {
  Generator g(5);
  for (bool b : bernoulli({5000}, 0, g).to_vector<bool>()) REQUIRE(!b);
  CHECK(g.counter() == 1250);
  for (bool b : bernoulli({5000}, 1, g).to_vector<bool>()) REQUIRE(b);
  CHECK(g.counter() == 2500);
  CHECK(bernoulli({0, 3}, 0.5, g).shape() == Shape{0, 3});
  CHECK(bernoulli({}, 0.5, g).shape() == Shape{});
  CHECK(g.counter() == 2501);
}

TEST_CASE("randint covers its range evenly", "[random]") {
  Generator g(11);
  std::vector<int> count(6);
  for (int64_t x : randint(-2, 4, {60000}, g).to_vector<int64_t>())
    ++count.at(static_cast<size_t>(x + 2));
  for (int c : count) CHECK(std::abs(c - 10000) < 5 * std::sqrt(60000 * 5.0 / 36));
  // The whole of int64 but its last number.
  const auto wide = randint(INT64_MIN, INT64_MAX, {1000}, g).to_vector<int64_t>();
  CHECK(std::count_if(wide.begin(), wide.end(), [](int64_t x) { return x < 0; }) > 400);
  CHECK(*std::max_element(wide.begin(), wide.end()) > INT64_MAX / 8 * 7);
  for (int64_t x : randint(5, 6, {10}, g).to_vector<int64_t>()) CHECK(x == 5);
}

TEST_CASE("randperm is a permutation, and every one is as likely", "[random]") {
  Generator g(1);
  auto order = randperm(1000, g).to_vector<int64_t>();
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 1000; ++i) REQUIRE(order[static_cast<size_t>(i)] == i);
  std::map<std::vector<int64_t>, int> seen;
  for (int i = 0; i < 6000; ++i) ++seen[randperm(3, g).to_vector<int64_t>()];
  CHECK(seen.size() == 6);
  for (const auto& [p, count] : seen)
    CHECK(std::abs(count - 1000) < 5 * std::sqrt(6000 * 5.0 / 36));
  CHECK(randperm(0, g).shape() == Shape{0});
}

TEST_CASE("categorical follows the probabilities and never picks a zero", "[random]") {
  Generator g(8);
  const Tensor p = Tensor::from<float>({0, 2, 0, 6, 0}, {5});  // any common scale
  int picked[5] = {};
  for (int i = 0; i < 8000; ++i) ++picked[categorical(p, g)];
  CHECK(g.counter() == 8000);
  CHECK(picked[0] + picked[2] + picked[4] == 0);
  CHECK(std::abs(picked[3] - 6000) < 5 * std::sqrt(8000 * 0.1875));
  // Rows may be strided: a transposed table.
  const Tensor rows = Tensor::from<double>({1, 0, 0, 1, 0, 0}, {3, 2}).transpose(0, 1);
  const Tensor drawn = multinomial(rows, 4, g);
  CHECK(drawn.shape() == Shape{2, 4});
  CHECK(drawn.to_vector<int64_t>() == std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("draws refuse what makes no sense and leave the generator in place", "[random]") {
  Generator g(1);
  CHECK_THROWS_WITH(uniform({2}, 2, 1, kFloat32, g), "uniform: low is not below high: 2 and 1");
  CHECK_THROWS_WITH(uniform({2}, 0, NAN, kFloat32, g), ContainsSubstring("0 and nan"));
  CHECK_THROWS_WITH(uniform({2}, -1e308, 1e308, kFloat64, g),
                    ContainsSubstring("range is not finite"));
  CHECK_THROWS_WITH(uniform({2}, 0, 1, kInt64, g), ContainsSubstring("got int64"));
  CHECK_THROWS_WITH(uniform({-2}, 0, 1, kFloat32, g), ContainsSubstring("negative size"));
  CHECK_THROWS_WITH(normal({2}, 0, -1, kFloat32, g), "normal: std must not be negative: -1");
  CHECK_THROWS_WITH(bernoulli({2}, 1.5, g), "bernoulli: p must be in [0, 1]: 1.5");
  CHECK_THROWS_WITH(bernoulli({2}, NAN, g), ContainsSubstring("[0, 1]"));
  CHECK_THROWS_WITH(randint(3, 3, {2}, g), "randint: low is not below high: 3 and 3");
  CHECK_THROWS_WITH(randperm(-1, g), ContainsSubstring("-1"));
  CHECK_THROWS_WITH(g.draw_int(0), "draw_int: needs a positive number of choices: 0");
  const auto row = [](std::initializer_list<float> p) { return Tensor::from<float>(p); };
  CHECK_THROWS_WITH(categorical(row({1, -0.5}), g), ContainsSubstring("-0.5 at index 1"));
  CHECK_THROWS_WITH(categorical(row({0, 0}), g), ContainsSubstring("positive, finite sum"));
  CHECK_THROWS_WITH(categorical(row({1, NAN}), g), ContainsSubstring("nan"));
  CHECK_THROWS_WITH(categorical(row({1, INFINITY}), g), ContainsSubstring("inf"));
  CHECK_THROWS_WITH(categorical(row({}), g), ContainsSubstring("over 0"));
  CHECK_THROWS_WITH(categorical(Tensor::ones({2, 2}), g), ContainsSubstring("[2, 2]"));
  // The second row is bad: the draw of the first does not count.
  CHECK_THROWS(multinomial(Tensor::from<float>({1, 1, 0, 0}, {2, 2}), 3, g));
  CHECK(g.counter() == 0);
}
