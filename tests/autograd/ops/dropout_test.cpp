#include "autograd/ops/dropout.h"

#include <cmath>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "tensor/parallel.h"
#include "tests/catch.h"

using namespace glass;

namespace {

Var ones(const Shape& shape) { return Var(Tensor::ones(shape), true); }

}  // namespace

TEST_CASE("dropout keeps a share of 1 - p and scales it", "[ops]") {
  Generator generator(1);
  const int64_t n = 100000;
  for (double p : {0.1, 0.5, 0.9}) {
    const auto y = dropout(ones({n}), p, true, generator).value().to_vector<float>();
    int64_t kept = 0;
    for (float v : y) {
      CHECK((v == 0 || v == static_cast<float>(1 / (1 - p))));
      kept += v != 0;
    }
    // Five standard deviations of the binomial distribution.
    CHECK(std::fabs(static_cast<double>(kept) - n * (1 - p)) < 5 * std::sqrt(n * p * (1 - p)));
  }
}

TEST_CASE("the gradient falls on the elements that were kept", "[ops]") {
  Generator generator(2);
  const Var x = ones({1000});
  const Var y = dropout(x, 0.3, true, generator);
  sum(y).backward();
  CHECK(x.grad().value().to_vector<float>() == y.value().to_vector<float>());
}

TEST_CASE("every draw is another, and a place in the stream can be replayed", "[ops]") {
  Generator generator(3);
  const auto draw = [&] {
    return dropout(ones({64}), 0.5, true, generator).value().to_vector<float>();
  };
  const auto first = draw(), second = draw();
  CHECK(first != second);
  Generator again(3);
  CHECK(dropout(ones({64}), 0.5, true, again).value().to_vector<float>() == first);
  CHECK(again.counter() == 16);  // four elements a block
}

TEST_CASE("nothing is drawn where nothing is dropped", "[ops]") {
  Generator generator(4);
  const Var x = ones({5});
  CHECK(dropout(x, 0, true, generator).value().shares_storage(x.value()));
  CHECK(dropout(x, 0.5, false, generator).value().shares_storage(x.value()));
  CHECK(generator.counter() == 0);
  CHECK_THROWS_AS(dropout(x, 2, true, generator), Error);
  CHECK(generator.counter() == 0);
}

TEST_CASE("dropping everything gives zeros, whatever stood there", "[ops]") {
  Generator generator(5);
  const Var x(Tensor::full({3}, NAN), true);
  CHECK(dropout(x, 1, true, generator).value().to_vector<float>() == std::vector<float>(3, 0));
}

TEST_CASE("the number of threads changes nothing", "[ops]") {
  const int before = num_threads();
  const auto draw = [](int threads) {
    set_num_threads(threads);
    Generator generator(6);
    return dropout(ones({100000}), 0.5, true, generator).value().to_vector<float>();
  };
  const bool same = draw(1) == draw(3);
  set_num_threads(before);
  CHECK(same);
}

TEST_CASE("a strided input meets the same draw", "[ops]") {
  const Tensor wide = Tensor::ones({7, 9}, kFloat32);
  Generator a(7), b(7);
  const Tensor dense = dropout(wide.transpose(0, 1).contiguous(), 0.5, a);
  const Tensor view = dropout(wide.transpose(0, 1), 0.5, b);
  CHECK(dense.to_vector<float>() == view.to_vector<float>());
}
