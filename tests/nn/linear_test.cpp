#include "nn/linear.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("a linear layer gives x·weightᵀ + bias", "[linear]") {
  const Linear layer = Linear::from(Var(Tensor::from<double>({1, 2, 3, 4, 5, 6}, {3, 2}), true),
                                    Var(Tensor::from<double>({10, 20, 30}), true));
  const Var x(Tensor::from<double>({1, -1, 0.5, 2}, {2, 2}), true);
  const Var y = layer(x);
  CHECK(y.value().to_vector<double>() == std::vector<double>{9, 19, 29, 14.5, 29.5, 44.5});
  sum(y).backward();
  CHECK(x.grad().value().to_vector<double>() == std::vector<double>{9, 12, 9, 12});
  CHECK(layer.weight.grad().value().to_vector<double>() ==
        std::vector<double>{1.5, 1, 1.5, 1, 1.5, 1});
  CHECK(layer.bias.grad().value().to_vector<double>() == std::vector<double>{2, 2, 2});
}

TEST_CASE("a linear layer with no inputs gives its bias", "[linear]") {
  Generator generator;
  Linear layer(0, 3, true, generator);
  layer.bias.value().copy_(Tensor::from<float>({1, 2, 3}));
  const Var y = layer(Var(Tensor::zeros({4, 0})));
  CHECK(y.shape() == Shape{4, 3});
  for (int64_t i = 0; i < 4; ++i) CHECK(y.value().at({i, 2}) == 3);
}

TEST_CASE("a linear layer starts as PyTorch's", "[linear]") {
  Generator generator(5);
  Linear layer(100, 400, true, generator);
  CHECK(layer.weight.shape() == Shape{400, 100});
  double low = 1, high = -1, squares = 0;
  for (const float w : layer.weight.value().to_vector<float>()) {
    low = std::min<double>(low, w);
    high = std::max<double>(high, w);
    squares += w * w;
  }
  CHECK((low >= -0.1 && low < -0.0999));
  CHECK((high <= 0.1 && high > 0.0999));
  CHECK(squares / 40000 == Approx(0.01 / 3).epsilon(0.03));  // the variance of U(-0.1, 0.1)
  for (const float b : layer.bias.value().to_vector<float>()) CHECK(std::abs(b) <= 0.1f);
}

TEST_CASE("a linear layer without bias shows none", "[linear]") {
  Generator generator;
  Linear layer(2, 3, false, generator);
  CHECK(layer.named_parameters().size() == 1);
  CHECK(layer(Var(Tensor::zeros({2}))).value().to_vector<float>() == std::vector<float>{0, 0, 0});
}
