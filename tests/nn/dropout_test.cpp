#include "nn/dropout.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("dropout keeps the mean and scales what it keeps", "[dropout]") {
  Generator generator(1);
  const Dropout layer(0.25, generator);
  int kept = 0;
  for (const float y : layer(Var(Tensor::ones({20000}))).value().to_vector<float>()) {
    if (y == 0) continue;
    CHECK(y == Approx(4.0 / 3));
    ++kept;
  }
  CHECK(kept == Approx(15000).epsilon(0.02));
}

TEST_CASE("dropout in evaluation is the identity and draws nothing", "[dropout]") {
  Generator generator(1);
  Dropout layer(0.5, generator);
  layer.eval();
  const auto before = generator.state();
  CHECK(layer(Var(Tensor::full({3}, 7))).value().to_vector<float>() == std::vector<float>{7, 7, 7});
  CHECK(generator.state() == before);
}

TEST_CASE("a restored generator drops the same elements again", "[dropout]") {
  Generator generator(1);
  const Dropout layer(0.5, generator);
  const Var x(Tensor::ones({50}), true);
  const auto place = generator.state();
  const auto first = layer(x).value().to_vector<float>();
  const Var next = layer(x);
  CHECK(next.value().to_vector<float>() != first);
  generator = Generator::from(place);
  CHECK(layer(x).value().to_vector<float>() == first);
  sum(next).backward();  // under its own mask, not the latest
  CHECK(x.grad().value().to_vector<float>() == next.value().to_vector<float>());
}

TEST_CASE("dropout of everything gives 0, and a wrong share is refused", "[dropout]") {
  Generator generator(1);
  CHECK(sum(Dropout(1, generator)(Var(Tensor::ones({9})))).item() == 0);
  CHECK_THROWS_AS(Dropout(-0.1, generator), Error);
  CHECK_THROWS_AS(Dropout(std::nan(""), generator), Error);
}
