// Every view against index arithmetic on plain vectors, over inputs of every layout.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "tensor/tensor.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

using Place = std::vector<int64_t>;

// What a tensor means: a number for each index, row-major.
struct Meaning {
  Place shape;
  std::vector<int64_t> values;
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

Place list(const Dims& dims) { return {dims.begin(), dims.end()}; }
Dims dims_of(const Place& values) { return Dims(std::span<const int64_t>(values)); }

// Calls f for each index of the shape, row-major.
void each_index(const Place& shape, const std::function<void(const Place&)>& f) {
  Place index(shape.size(), 0);
  if (std::count(shape.begin(), shape.end(), 0)) return;
  for (;;) {
    f(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

Meaning make(const Place& shape, const std::function<int64_t(const Place&)>& value) {
  Meaning m{shape, {}};
  each_index(shape, [&](const Place& i) { m.values.push_back(value(i)); });
  return m;
}

int64_t value_at(const Meaning& m, const Place& index) {
  int64_t position = 0;
  for (size_t axis = 0; axis < index.size(); ++axis)
    position = position * m.shape[axis] + index[axis];
  return m.values.at(static_cast<size_t>(position));
}

// Reads a tensor by its definition: first element plus index times strides.
Meaning meaning(const Tensor& t) {
  const auto* data = static_cast<const int64_t*>(t.raw());
  return make(list(t.shape()), [&](const Place& i) {
    return data[std::inner_product(i.begin(), i.end(), t.strides().begin(), int64_t{0})];
  });
}

// Int64 tensors of many layouts; all elements of one tensor differ unless it is expanded.
std::vector<Tensor> inputs() {
  auto dense = [](const Shape& shape) {
    return Tensor::arange(100, 100 + numel(shape)).reshape(shape);
  };
  return {
      dense({2, 3, 4}),
      dense({4, 3, 2}).permute({2, 0, 1}),
      dense({3, 8}).slice(1, 1, kEnd, 2),
      dense({9, 4}).slice(0, 2, kEnd, 3).transpose(0, 1),
      dense({3, 1}).expand({2, 3, 4}),
      dense({5}).expand({1, 5}),
      dense({1, 3, 1}),
      dense({7}),
      dense({6, 2}).select(1, 1),
      dense({}),
      dense({3}).select(0, 1),
      dense({2, 0, 3}),
      dense({0}),
      dense({2, 1, 2, 1, 2, 1, 2, 3}).permute({7, 1, 3, 5, 0, 2, 4, 6}),
  };
}

}  // namespace

TEST_CASE("permute reorders the axes", "[views]") {
  std::mt19937 random(1);
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    Place order(m.shape.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < 4; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      Place shape;
      for (int64_t d : order) shape.push_back(m.shape[static_cast<size_t>(d)]);
      const Tensor y = x.permute(dims_of(order));
      CHECK(meaning(y) == make(shape, [&](const Place& i) {
              Place from(i.size());
              for (size_t k = 0; k < i.size(); ++k) from[static_cast<size_t>(order[k])] = i[k];
              return value_at(m, from);
            }));
      CHECK(y.shares_storage(x));
    }
  }
  const Tensor x = Tensor::arange(0, 6).reshape({1, 2, 3});
  CHECK(x.permute({-1, 0, 1}).shape() == Shape{3, 1, 2});
}

TEST_CASE("transpose swaps two axes", "[views]") {
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    const auto n = static_cast<int64_t>(m.shape.size());
    for (int64_t a = 0; a < n; ++a)
      for (int64_t b = 0; b < n; ++b) {
        Place shape = m.shape;
        std::swap(shape[a], shape[b]);
        const Meaning want = make(shape, [&](Place i) {
          std::swap(i[a], i[b]);
          return value_at(m, i);
        });
        CHECK(meaning(x.transpose(a, b)) == want);
        CHECK(meaning(x.transpose(a - n, b - n)) == want);
      }
  }
  CHECK(meaning(Tensor::scalar(3, kInt64).transpose(0, -1)).values == Place{3});
}

TEST_CASE("slice takes what Python's slices take", "[views]") {
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    for (size_t dim = 0; dim < m.shape.size(); ++dim) {
      const int64_t n = m.shape[dim];
      for (int64_t start :
           {int64_t{0}, int64_t{1}, int64_t{2}, n, n + 3, int64_t{-1}, -n, -n - 2, INT64_MIN})
        for (int64_t end : {kEnd, n, n - 1, int64_t{1}, int64_t{0}, int64_t{-1}, -n - 1, INT64_MIN})
          for (int64_t step : {int64_t{1}, int64_t{2}, int64_t{5}, INT64_MAX}) {
            Place taken;
            const int64_t first = std::max<int64_t>(0, start < 0 ? start + n : start);
            const int64_t last = std::min(n, end < 0 ? end + n : end);
            for (int64_t i = first; i < last; i += step) {
              taken.push_back(i);
              if (step > n) break;
            }
            Place shape = m.shape;
            shape[dim] = static_cast<int64_t>(taken.size());
            const Tensor y = x.slice(static_cast<int64_t>(dim), start, end, step);
            const Meaning want = make(shape, [&](Place i) {
              i[dim] = taken[static_cast<size_t>(i[dim])];
              return value_at(m, i);
            });
            if (meaning(y) != want)  // one assertion per miss: there are thousands of these
              FAIL_CHECK(x.shape()
                         << " dim " << dim << " [" << start << ":" << end << ":" << step << "]");
            if (!y.shares_storage(x)) FAIL_CHECK("slice copied");
          }
    }
  }
}

TEST_CASE("narrow and select take one range and one index", "[views]") {
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    const auto ndim = static_cast<int64_t>(m.shape.size());
    for (int64_t dim = 0; dim < ndim; ++dim) {
      const int64_t n = m.shape[dim];
      for (int64_t start = 0; start <= n; ++start)
        for (int64_t length = 0; length <= n - start; ++length) {
          Place shape = m.shape;
          shape[dim] = length;
          const Meaning want = make(shape, [&](Place i) {
            i[dim] += start;
            return value_at(m, i);
          });
          CHECK(meaning(x.narrow(dim, start, length)) == want);
          if (start < n) CHECK(meaning(x.narrow(dim - ndim, start - n, length)) == want);
        }
      for (int64_t index = 0; index < n; ++index) {
        Place shape = m.shape;
        shape.erase(shape.begin() + dim);
        const Meaning want = make(shape, [&](Place i) {
          i.insert(i.begin() + dim, index);
          return value_at(m, i);
        });
        CHECK(meaning(x.select(dim, index)) == want);
        CHECK(meaning(x.select(dim - ndim, index - n)) == want);
      }
    }
  }
}

TEST_CASE("expand repeats without copying", "[views]") {
  struct Row {
    Shape from, given, shape;
  };
  for (const auto& [from, given, shape] :
       {Row{{3, 1}, {3, 4}, {3, 4}}, Row{{3, 1}, {2, 3, 4}, {2, 3, 4}}, Row{{}, {2, 2}, {2, 2}},
        Row{{3}, {3}, {3}}, Row{{1, 3}, {-1, 3}, {1, 3}}, Row{{1, 3}, {5, -1}, {5, 3}},
        Row{{1}, {0}, {0}}, Row{{0, 1}, {0, 4}, {0, 4}}, Row{{1, 0}, {3, 0}, {3, 0}},
        Row{{2, 1, 2}, {7, 2, 3, 2}, {7, 2, 3, 2}}}) {
    const Tensor dense = Tensor::arange(0, numel(from)).reshape(from);
    const Meaning m = meaning(dense);
    const Tensor y = dense.expand(given);
    CHECK(y.shape() == shape);
    CHECK(y.shares_storage(dense));
    const size_t shift = static_cast<size_t>(shape.size() - from.size());
    CHECK(meaning(y) == make(list(shape), [&](const Place& i) {
            Place source(i.begin() + static_cast<int64_t>(shift), i.end());
            for (size_t k = 0; k < source.size(); ++k)
              if (m.shape[k] == 1) source[k] = 0;
            return value_at(m, source);
          }));
  }
}

TEST_CASE("unsqueeze and squeeze add and drop sizes of 1", "[views]") {
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    const auto n = static_cast<int64_t>(m.shape.size());
    for (int64_t dim = 0; dim <= n && n < kMaxDims; ++dim) {
      Meaning want = m;
      want.shape.insert(want.shape.begin() + dim, 1);
      const Tensor y = x.unsqueeze(dim);
      CHECK(meaning(y) == want);
      CHECK(meaning(x.unsqueeze(dim - n - 1)) == want);
      CHECK(meaning(y.squeeze(dim)) == m);
      CHECK(y.is_contiguous() == x.is_contiguous());
    }
    for (int64_t dim = 0; dim < n; ++dim) {
      Meaning want = m;
      if (m.shape[dim] == 1) want.shape.erase(want.shape.begin() + dim);
      CHECK(meaning(x.squeeze(dim)) == want);
    }
  }
  CHECK_THROWS_WITH(Tensor::ones({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0),
                    ContainsSubstring("too many dimensions: 9"));
}

TEST_CASE("reshape keeps the row-major order of any layout", "[views]") {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  for (const Tensor& x : inputs()) {
    const Meaning m = meaning(x);
    for (int round = 0; round < 40; ++round) {
      // A random factorisation of the count, with some ones.
      Place shape;
      auto rest = static_cast<int64_t>(m.values.size());
      if (rest == 0) break;
      while (rest > 1) {
        const int64_t f = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(rest));
        if (rest % f == 0 && shape.size() < 7) shape.push_back(f), rest /= f;
        if (shape.size() == 7) shape.push_back(rest), rest = 1;
      }
      Place given = shape;
      if (!given.empty() && round % 2) given[random() % given.size()] = -1;
      INFO(x.shape() << " to " << dims_of(given) << ", seed " << seed);
      CHECK(meaning(x.reshape(dims_of(given))) == Meaning{shape, m.values});
    }
    if (x.is_contiguous() && x.numel() > 0) CHECK(x.reshape({-1}).shares_storage(x));
  }
}

TEST_CASE("reshape makes a view wherever strides can express one", "[views]") {
  const Tensor x = Tensor::arange(0, 24).reshape({2, 3, 4});
  // Splitting and joining inside dense groups needs no copy, also beside a permuted axis.
  const Tensor columns = Tensor::arange(0, 48).reshape({6, 8}).slice(1, 0, 4);
  CHECK(columns.reshape({2, 3, 4}).shares_storage(columns));
  CHECK(columns.reshape({6, 2, 2}).shares_storage(columns));
  CHECK(x.permute({2, 0, 1}).reshape({4, 6}).shares_storage(x));
  CHECK(x.transpose(0, 1).reshape({3, 1, 2, 4}).shares_storage(x));
  CHECK(x.slice(0, 1, 2).transpose(0, 2).reshape({4, 3}).shares_storage(x));
  const Tensor rows = Tensor::ones({3, 1}).expand({3, 4});
  CHECK(rows.reshape({3, 2, 2}).shares_storage(rows));
  // And these cannot be views.
  CHECK(!columns.reshape({24}).shares_storage(columns));
  CHECK(!x.transpose(0, 1).reshape({6, 4}).shares_storage(x));
  CHECK(!rows.reshape({12}).shares_storage(rows));
}

TEST_CASE("reshape and flatten of empty and 0-d tensors", "[views]") {
  const Tensor none = Tensor::zeros({0, 3});
  CHECK(none.reshape({3, 0}).shape() == Shape{3, 0});
  CHECK(none.reshape({-1, 3}).shape() == Shape{0, 3});
  CHECK(none.reshape({0}).shape() == Shape{0});
  CHECK(none.flatten().shape() == Shape{0});
  CHECK_THROWS_WITH(none.reshape({-1, 0}), ContainsSubstring("ambiguous"));
  const Tensor one = Tensor::scalar(4);
  CHECK(one.reshape({1, 1}).shape() == Shape{1, 1});
  CHECK(one.reshape({-1}).shape() == Shape{1});
  CHECK(one.flatten().shape() == Shape{1});
  CHECK(Tensor::ones({1, 1}).reshape({}).shape() == Shape{});
  const Tensor x = Tensor::arange(0, 24).reshape({2, 3, 4});
  CHECK(x.flatten(1).shape() == Shape{2, 12});
  CHECK(x.flatten(0, 1).shape() == Shape{6, 4});
  CHECK(x.flatten(-2, -1).shape() == Shape{2, 12});
  CHECK(x.flatten(1, 1).shape() == Shape{2, 3, 4});
  CHECK(x.transpose(0, 2).flatten().to_vector<int64_t>() == meaning(x.transpose(0, 2)).values);
}

TEST_CASE("a change through a view shows in the whole, and bumps the version", "[views]") {
  const Tensor x = Tensor::zeros({3, 4});
  const uint32_t version = x.version();
  x.slice(1, 1, kEnd, 2).select(0, 2).fill_(5);
  x.transpose(0, 1).select(0, 0).copy_(Tensor::from<float>({7, 8, 9}));
  CHECK(x.to_vector<float>() == std::vector<float>{7, 0, 0, 0, 8, 0, 0, 0, 9, 5, 0, 5});
  CHECK(x.version() == version + 2);
  CHECK(x.clone().version() == 0);
}

TEST_CASE("contiguous says whether the layout is dense row-major", "[views]") {
  const Tensor x = Tensor::arange(0, 24).reshape({2, 3, 4});
  CHECK(x.is_contiguous());
  CHECK(x.slice(0, 1).is_contiguous());
  CHECK(!x.slice(2, 1).is_contiguous());
  CHECK(!x.transpose(1, 2).is_contiguous());
  CHECK(x.slice(1, 0, 1).select(0, 0).is_contiguous());
  CHECK(x.slice(2, 0, 1).slice(1, 0, 1).slice(0, 0, 1).is_contiguous());
  CHECK(x.slice(0, 0, 0).transpose(1, 2).is_contiguous());
  CHECK(x.contiguous().shares_storage(x));
  const Tensor dense = x.transpose(0, 2).contiguous();
  CHECK(!dense.shares_storage(x));
  CHECK(dense.is_contiguous());
  CHECK(meaning(dense) == meaning(x.transpose(0, 2)));
}
