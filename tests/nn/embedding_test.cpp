#include "nn/embedding.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("an embedding adds up the gradients of a repeated id", "[embedding]") {
  const Embedding table =
      Embedding::from(Var(Tensor::from<double>({1, 2, 3, 4, 5, 6}, {3, 2}), true));
  const Var y = table(Var(Tensor::from<int64_t>({1, 1, 0, 1}, {2, 2})));
  CHECK(y.shape() == Shape{2, 2, 2});
  CHECK(y.value().to_vector<double>() == std::vector<double>{3, 4, 3, 4, 1, 2, 3, 4});
  y.backward(Var(Tensor::from<double>({1, 10, 2, 20, 3, 30, 4, 40}, {2, 2, 2})));
  CHECK(table.weight.grad().value().to_vector<double>() == std::vector<double>{3, 30, 7, 70, 0, 0});
}

TEST_CASE("the padding row gets no gradient but is read as it stands", "[embedding]") {
  const Embedding table =
      Embedding::from(Var(Tensor::from<double>({1, 2, 3, 4, 5, 6}, {3, 2}), true), 0);
  const Var y = table(Var(Tensor::from<int64_t>({0, 2, 0, 1})));
  CHECK(y.value().at({0, 1}) == 2);
  sum(y).backward();
  CHECK(table.weight.grad().value().to_vector<double>() == std::vector<double>{0, 0, 1, 1, 1, 1});
}

TEST_CASE("an embedding starts from N(0, 1), its padding row as 0", "[embedding]") {
  Generator generator(2);
  const Embedding table(500, 40, 3, generator);
  double mean = 0, squares = 0;
  for (const float w : table.weight.value().to_vector<float>()) {
    mean += w;
    squares += w * w;
  }
  CHECK(mean / 20000 == Approx(0).margin(0.03));
  CHECK(squares / 20000 == Approx(1).epsilon(0.05));
  for (int64_t i = 0; i < 40; ++i) CHECK(table.weight.value().at({3, i}) == 0);
}

TEST_CASE("an id outside the table is refused", "[embedding]") {
  Generator generator;
  const Embedding table(3, 2, -1, generator);
  for (const int64_t id : {3, -1, -4})
    CHECK_THROWS_WITH(table(Var(Tensor::from<int64_t>({0, id}))),
                      Catch::Matchers::ContainsSubstring(std::to_string(id)));
  CHECK_THROWS_AS(Embedding(3, 2, 3, generator), Error);
  CHECK_THROWS_AS(Embedding(3, 2, -2, generator), Error);
}
