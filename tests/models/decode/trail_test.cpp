#include "models/decode/trail.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("trails that began alike go on apart", "[decode]") {
  const Trail none, start = none.extended(4, {0.1}).extended(5, {0.2});
  const Trail left = start.extended(6, {0.3}), right = start.extended(7, {0.4});
  CHECK(none.last_or(2) == 2);
  CHECK(none.ids().empty());
  CHECK(left.last_or(2) == 6);
  CHECK(left.ids() == std::vector<int64_t>{4, 5, 6});
  CHECK(right.ids() == std::vector<int64_t>{4, 5, 7});
  CHECK(right.weights() == std::vector<std::vector<double>>{{0.1}, {0.2}, {0.4}});
  CHECK(none.extended(4, {}).extended(5, {}).weights().empty());
}

TEST_CASE("a trail of a million tokens goes without filling the stack", "[decode]") {
  Trail trail;
  for (int i = 0; i < 1'000'000; ++i) trail = trail.extended(i % 7, {});
  CHECK(trail.ids().size() == 1'000'000);
}
