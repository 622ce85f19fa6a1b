#include "nn/mask.h"

#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

// One character a key: 1 = may be attended to.
std::string drawn(const Mask& mask) {
  std::string rows;
  for (int64_t b = 0; b < mask.keys().size(0); ++b) {
    for (bool may : mask.keys().select(0, b).contiguous().to_vector<bool>())
      rows += may ? '1' : '0';
    rows += ' ';
  }
  return rows;
}

}  // namespace

TEST_CASE("a mask from lengths allows the first keys of each row", "[mask]") {
  CHECK(drawn(Mask::from_lengths({2, 0, 3}, 3)) == "110 000 111 ");
  CHECK(Mask::from_lengths({}, 3).keys().shape() == Shape{0, 3});
  CHECK(Mask::from_lengths({0}, 0).keys().shape() == Shape{1, 0});
  CHECK(Mask().all());
}

TEST_CASE("a mask refuses lengths out of range", "[mask]") {
  CHECK_THROWS_WITH(Mask::from_lengths({1, 4}, 3), ContainsSubstring("4 in row 1"));
  CHECK_THROWS_WITH(Mask::from_lengths({-1}, 3), ContainsSubstring("-1 in row 0"));
}

TEST_CASE("numbers are no mask", "[mask]") {
  CHECK_THROWS_WITH(Mask::where_true_may_attend(Tensor::ones({2, 3})),
                    ContainsSubstring("needs bool"));
  CHECK_THROWS_WITH(Mask::where_true_may_attend(Tensor::full({3}, 1, kBool)),
                    ContainsSubstring("must be [B, S]"));
}

TEST_CASE("a mask does not change with the tensor it came from", "[mask]") {
  const Tensor allowed = Tensor::full({1, 2}, 1, kBool);
  const Mask mask = Mask::where_true_may_attend(allowed);
  allowed.fill_(0);
  CHECK(drawn(mask) == "11 ");
}

TEST_CASE("both masks must allow a key", "[mask]") {
  const Mask a = Mask::from_lengths({2, 3}, 3);
  const Mask b =
      Mask::where_true_may_attend(Tensor::from({true, false, true, false, true, true}, {2, 3}));
  CHECK(drawn(a & b) == "100 011 ");
  CHECK(drawn(a & Mask()) == drawn(a));
  CHECK(drawn(Mask() & a) == drawn(a));
  CHECK_THROWS_WITH(a & Mask::from_lengths({1, 1}, 4), ContainsSubstring("[2, 3] & [2, 4]"));
}
