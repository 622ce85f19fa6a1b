#include "models/diagnosis/not_finite.h"

#include <cmath>

#include "nn/mask.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

Var leaf_of(const std::vector<double>& values) {
  return Var(Tensor::from(values, {static_cast<int64_t>(values.size())}), true);
}

// What is found in f(x, line), where f sets line to that of the op that is to be named.
NotFinite found_in(const std::vector<double>& x, const std::function<Var(const Var&, int&)>& f) {
  const Var leaf = leaf_of(x);
  int line = 0;
  const NotFinite found = find_not_finite([&] { return f(leaf, line); }, {{"x", leaf}});
  INFO(found.text());
  CHECK_THAT(found.file, EndsWith("not_finite_test.cpp"));
  CHECK(found.line == line);
  return found;
}

}  // namespace

TEST_CASE("not finite: log of 0, and of a negative number", "[diagnosis]") {
  const auto logs = [](const Var& x, int& line) {
    line = __LINE__ + 1;
    const Var y = log(x * 1.0);
    return sum(y);
  };
  const NotFinite zero = found_in({0, 1, 0, 2}, logs);
  CHECK(zero.op == "log");
  CHECK_FALSE(zero.backward);
  CHECK(zero.cause == "log of 0: 2 of 4 inputs");
  CHECK_THAT(zero.remedy, ContainsSubstring("cross_entropy"));
  CHECK(found_in({0, 1, -3, 2}, logs).cause == "log of a negative number: 1 of 4 inputs");
}

TEST_CASE("not finite: 0/0 and division by 0", "[diagnosis]") {
  const auto shares = [](const Var& x, int& line) {
    const Var total = sum(x);
    line = __LINE__ + 1;
    const Var y = x / total;
    return sum(y);
  };
  const NotFinite found = found_in({0, 0}, shares);
  CHECK(found.op == "div");
  CHECK(found.cause == "0/0: 1 of 1 inputs below are 0");
  CHECK(found_in({1, -1}, shares).cause == "division by 0: 1 of 1 inputs");
}

TEST_CASE("not finite: a row of which every key is hidden", "[diagnosis]") {
  const Var there = Var(Tensor::from<double>({1, 0, 0, 0}, {2, 2})) > 0.5;
  const NotFinite found = found_in({1, 2, 3, 4}, [&](const Var& x, int& line) {
    const Var scores = where(there, reshape(x, {2, 2}), -INFINITY);  // no mistake yet
    line = __LINE__ + 1;
    const Var y = softmax(scores, 1);
    return sum(y);
  });
  CHECK(found.op == "softmax");
  CHECK_THAT(found.cause, ContainsSubstring("an empty row"));
  CHECK_THAT(found.remedy, ContainsSubstring("masked_softmax"));
}

TEST_CASE("not finite: overflow", "[diagnosis]") {
  const NotFinite found = found_in({1, 800}, [](const Var& x, int& line) {
    line = __LINE__ + 1;
    const Var y = exp(x);
    return sum(y);
  });
  CHECK(found.op == "exp");
  CHECK(found.cause == "overflow: 1 of 2 results are too large for float64, inputs up to 800");
}

TEST_CASE("not finite: infinities that meet", "[diagnosis]") {
  const Var hidden(Tensor::from<double>({-INFINITY, 0}));
  const NotFinite found = found_in({1, 0}, [&](const Var& x, int& line) {
    const Var scores = x + hidden;  // as a mask does it
    line = __LINE__ + 1;
    const Var y = scores * 0.0;
    return sum(y);
  });
  CHECK(found.op == "mul");
}

TEST_CASE("not finite: a gradient whose value is finite", "[diagnosis]") {
  const NotFinite found = found_in({0, 4}, [](const Var& x, int& line) {
    line = __LINE__ + 1;
    const Var y = sqrt(x);
    return sum(y);
  });
  CHECK(found.op == "sqrt");
  CHECK(found.backward);
  CHECK(found.cause == "the slope of sqrt at 0 is infinite: 1 of 2 inputs are 0");
}

TEST_CASE("not finite: weights that an update has spoilt, and what cannot be found again",
          "[diagnosis]") {
  const Var x = leaf_of({1, NAN});
  const NotFinite spoilt = find_not_finite([&] { return sum(x); }, {{"layer.weight", x}});
  CHECK(spoilt.op == "update of layer.weight");
  CHECK_THAT(spoilt.text(), ContainsSubstring("lower learning rate"));
  const Var fine = leaf_of({1, 2});
  const NotFinite nothing = find_not_finite([&] { return sum(fine); }, {{"x", fine}});
  CHECK(nothing.op.empty());
  CHECK_THAT(nothing.text(), ContainsSubstring("was finite"));
}
