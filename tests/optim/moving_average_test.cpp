#include "optim/moving_average.h"

#include "tests/catch.h"

using namespace glass;

// d = 2/11, 3/12, then 0.3 (4/13 is more): a = 2/11·1 + 9/11·4, …
TEST_CASE("a moving average, three steps by hand", "[optim]") {
  const Var p(Tensor::full({2}, 1, kFloat64), true), frozen(Tensor::full({2}, 5, kFloat64));
  MovingAverage average({p, frozen, p}, 0.3);
  const auto now = [&] {
    average.swap();
    const double value = p.value().data<double>()[1];
    average.swap();
    return value;
  };
  CHECK(now() == 1);
  const double first = 38.0 / 11, second = 0.25 * first + 0.75 * 8, third = 0.3 * second + 0.7 * 3;
  for (const auto& [value, want] : {std::pair{4.0, first}, {8.0, second}, {3.0, third}}) {
    p.value().fill_(value);
    average.update();
    CHECK(now() == Approx(want).epsilon(1e-14));
    CHECK(p.value().data<double>()[1] == value);
  }
  CHECK(average.state_dict().tensors.size() == 2);  // steps, and p once
}

TEST_CASE("a moving average continues from its state, and refuses another's", "[optim]") {
  const Var p(Tensor::full({2}, 1), true), q(Tensor::full({3}, 1), true);
  MovingAverage whole({p}, 0.9), other({q}, 0.9);
  p.value().fill_(2);
  whole.update();
  MovingAverage rest({p}, 0.9);
  rest.load_state_dict(whole.state_dict());
  p.value().fill_(7);
  whole.update();
  rest.update();
  CHECK(whole.state_dict().at("0").to_vector<float>() ==
        rest.state_dict().at("0").to_vector<float>());
  CHECK(rest.state_dict().at("steps").item() == 2);
  CHECK_THROWS_WITH(rest.load_state_dict(other.state_dict()),
                    Catch::Matchers::ContainsSubstring("0 is [3] float32, needs [2]"));
  CHECK_THROWS_AS(rest.load_state_dict({}), Error);
  CHECK(rest.state_dict().at("steps").item() == 2);
  for (double bad : {-0.1, 1.0})
    CHECK_THROWS_WITH(MovingAverage({p}, bad), Catch::Matchers::ContainsSubstring("in [0, 1)"));
}
