#include "tensor/shape.h"

#include <limits>
#include <sstream>

#include "tensor/error.h"
#include "tensor/tensor.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int64_t k2To32 = int64_t{1} << 32;

}  // namespace

TEST_CASE("dims hold up to eight numbers inline", "[shape]") {
  Dims d{2, 3};
  CHECK(d.size() == 2);
  CHECK(d.back() == 3);
  d.push_back(5);
  d.insert(0, 7);
  CHECK(d == Dims{7, 2, 3, 5});
  d.insert(2, 9);
  CHECK(d == Dims{7, 2, 9, 3, 5});
  d.erase(0);
  CHECK(d == Dims{2, 9, 3, 5});
  d.erase(3);
  CHECK(d == Dims{2, 9, 3});
  d[1] = 4;
  CHECK(d == Dims{2, 4, 3});
  CHECK(!(d == Dims{2, 4}));
  CHECK(!(d == Dims{2, 4, 5}));
  CHECK(Dims{}.empty());
  CHECK_THROWS_WITH((Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}), "shape: too many dimensions: 9, at most 8");
  Dims full{1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_THROWS_WITH(full.push_back(9), ContainsSubstring("at most 8"));
  CHECK(full == Dims{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("shapes print as lists", "[shape]") {
  std::ostringstream out;
  out << Dims{} << Dims{4} << Dims{2, -1};
  CHECK(out.str() == "[][4][2, -1]");
}

TEST_CASE("elements are counted, and what cannot be counted is refused", "[shape]") {
  CHECK(numel({}) == 1);
  CHECK(numel({0}) == 0);
  CHECK(numel({2, 3, 4}) == 24);
  CHECK(numel({5, 0, 7}) == 0);
  CHECK(numel({INT64_MAX}) == INT64_MAX);
  CHECK_THROWS_WITH(numel({2, -3}, "zeros"), "zeros: negative size in shape: [2, -3]");
  CHECK_THROWS_WITH(numel({0, -3}), ContainsSubstring("negative size"));
  CHECK_THROWS_WITH(numel({k2To32, k2To32}), ContainsSubstring("[4294967296, 4294967296]"));
  CHECK_THROWS_WITH(numel({k2To32, k2To32, 0}), ContainsSubstring("more elements than can be"));
  CHECK_THROWS_WITH(numel({INT64_MAX, 2}), ContainsSubstring("more elements than can be"));
}

TEST_CASE("sizes beyond any memory are errors, not small allocations", "[shape]") {
  const int64_t before = memory_stats().live;
  CHECK_THROWS_WITH(Tensor::zeros({k2To32, k2To32}), ContainsSubstring("empty: shape has more"));
  CHECK_THROWS_WITH(Tensor::ones({k2To32, k2To32 / 4}), ContainsSubstring("more bytes than can"));
  CHECK_THROWS_WITH(Tensor::full({k2To32 / 4, k2To32 / 4}, 1), ContainsSubstring("too large"));
  CHECK_THROWS_WITH(Tensor::zeros({-1}), ContainsSubstring("negative size"));
  CHECK_THROWS_WITH(Tensor::eye(k2To32), ContainsSubstring("more elements"));
  const Tensor x = Tensor::zeros({2, 2});
  CHECK_THROWS_WITH(x.reshape({k2To32, k2To32}), ContainsSubstring("more elements than can be"));
  CHECK_THROWS_WITH(x.reshape({k2To32, k2To32, -1}), ContainsSubstring("more elements than can"));
  CHECK_THROWS_WITH(x.reshape({k2To32, k2To32, 0}), ContainsSubstring("reshape"));
  CHECK_THROWS_WITH(Tensor::zeros({1}).expand({k2To32, k2To32}),
                    ContainsSubstring("more elements"));
  CHECK(x.to_vector<float>() == std::vector<float>(4, 0));
  CHECK(memory_stats().live - before <= 256);
}

TEST_CASE("dense strides count from the last axis", "[shape]") {
  CHECK(contiguous_strides({}) == Dims{});
  CHECK(contiguous_strides({5}) == Dims{1});
  CHECK(contiguous_strides({2, 3, 4}) == Dims{12, 4, 1});
  CHECK(contiguous_strides({2, 1, 4}) == Dims{4, 4, 1});
  CHECK(contiguous_strides({2, 0, 4}) == Dims{4, 4, 1});
}

TEST_CASE("shapes broadcast from the right", "[shape]") {
  CHECK(broadcast_shapes("add", {2, 3}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shapes("add", {2, 3}, {3}) == Shape{2, 3});
  CHECK(broadcast_shapes("add", {3}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shapes("add", {4, 1, 3}, {2, 1}) == Shape{4, 2, 3});
  CHECK(broadcast_shapes("add", {}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shapes("add", {}, {}) == Shape{});
  // A size of 0 is a size: it meets 0 and 1 only.
  CHECK(broadcast_shapes("add", {0, 3}, {1, 3}) == Shape{0, 3});
  CHECK(broadcast_shapes("add", {1}, {0}) == Shape{0});
  CHECK_THROWS_WITH(broadcast_shapes("add", {0}, {2}), ContainsSubstring("(axis -1: 0 and 2)"));
  CHECK_THROWS_WITH(broadcast_shapes("add", {2, 3}, {4, 3}),
                    "add: shapes do not broadcast: [2, 3] and [4, 3] (axis -2: 2 and 4)");
  // The message keeps the order of the arguments.
  CHECK_THROWS_WITH(broadcast_shapes("mul", {4}, {2, 3}),
                    "mul: shapes do not broadcast: [4] and [2, 3] (axis -1: 4 and 3)");
}

TEST_CASE("axes count from either end", "[shape]") {
  CHECK(normalize_dim("sum", 0, 3) == 0);
  CHECK(normalize_dim("sum", 2, 3) == 2);
  CHECK(normalize_dim("sum", -1, 3) == 2);
  CHECK(normalize_dim("sum", -3, 3) == 0);
  CHECK(normalize_dim("sum", 0, 0) == 0);
  CHECK(normalize_dim("sum", -1, 0) == 0);
  CHECK_THROWS_WITH(normalize_dim("sum", 3, 3), "sum: dim out of range: 3, should be in [-3, 2]");
  CHECK_THROWS_WITH(normalize_dim("sum", -4, 3), "sum: dim out of range: -4, should be in [-3, 2]");
  CHECK_THROWS_WITH(normalize_dim("sum", 1, 0), "sum: dim out of range: 1, should be in [-1, 0]");
  CHECK_THROWS_WITH(normalize_dim("sum", INT64_MIN, 2), ContainsSubstring("out of range"));
  CHECK_THROWS_WITH(normalize_dim("sum", k2To32, 2), ContainsSubstring("4294967296"));
}

TEST_CASE("lists of axes become ascending, each once", "[shape]") {
  CHECK(normalize_dims("sum", {}, 3) == Dims{0, 1, 2});
  CHECK(normalize_dims("sum", {-1, 0}, 3) == Dims{0, 2});
  CHECK(normalize_dims("sum", {}, 0) == Dims{});
  CHECK(normalize_dims("sum", {-1}, 0) == Dims{});
  CHECK_THROWS_WITH(normalize_dims("sum", {1, -2}, 3), "sum: dim given twice: -2 in [1, -2]");
  CHECK_THROWS_WITH(normalize_dims("sum", {5}, 3), ContainsSubstring("dim out of range: 5"));
}

TEST_CASE("a 0-d tensor has no size along a dimension", "[tensor]") {
  CHECK_THROWS_WITH(Tensor::scalar(1).size(0), ContainsSubstring("0-d tensor has no dimensions"));
  CHECK_THROWS_WITH(Tensor::scalar(1).size(-1), ContainsSubstring("0-d tensor has no dimensions"));
}

TEST_CASE("arange near the ends of int64", "[tensor]") {
  constexpr int64_t low = std::numeric_limits<int64_t>::min();
  constexpr int64_t high = std::numeric_limits<int64_t>::max();
  const auto values = [](int64_t start, int64_t end, int64_t step) {
    return Tensor::arange(start, end, step).to_vector<int64_t>();
  };
  CHECK(values(low, high, high) == std::vector<int64_t>{low, -1, high - 1});
  CHECK(values(high - 1, high, 5) == std::vector<int64_t>{high - 1});
  CHECK(values(high, low, low) == std::vector<int64_t>{high, -1});
  CHECK(values(3, 3, low).empty());
  CHECK_THROWS_WITH(Tensor::arange(low, high), ContainsSubstring("can be counted"));
}
