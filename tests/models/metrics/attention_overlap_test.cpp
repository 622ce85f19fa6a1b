#include "models/metrics/attention_overlap.h"

#include "tests/catch.h"

using namespace glass;

namespace {

// True where rows and columns are in [low, high).
Tensor box(int64_t side, int64_t low, int64_t high) {
  const Tensor mask = Tensor::zeros({side, side}, kBool);
  for (int64_t y = low; y < high; ++y)
    for (int64_t x = low; x < high; ++x) mask.data<bool>()[y * side + x] = true;
  return mask;
}

}  // namespace

TEST_CASE("Attention overlap: by hand", "[captions]") {
  const Tensor map = Tensor::from({0.1, 0.9, 0.2, 0.8, 0.3, 0.4, 0.05, 0.5, 0.6}, {3, 3});
  const auto mask = [](std::initializer_list<int> places) {
    const Tensor m = Tensor::zeros({3, 3}, kBool);
    for (const int i : places) m.data<bool>()[i] = true;
    return m;
  };
  CHECK(attention_overlap(map, mask({1, 3})) == Approx(1));        // the two highest
  CHECK(attention_overlap(map, mask({1, 0})) == Approx(1.0 / 3));  // one of two
  CHECK(attention_overlap(map, mask({0, 2})) == 0);
  CHECK(attention_overlap(map, mask({1, 3, 8, 7, 0})) == Approx(4.0 / 6));
  CHECK_THROWS_AS(attention_overlap(map, mask({})), Error);
  CHECK_THROWS_AS(attention_overlap(map, Tensor::ones({3, 3})), Error);
}

TEST_CASE("Attention overlap of a uniform map is that of chance", "[captions]") {
  const Tensor mask = box(12, 3, 6);
  CHECK(attention_overlap(Tensor::full({4, 4}, 1.0 / 16), mask) == Approx(9.0 / (288 - 9)));
  CHECK(attention_overlap(Tensor::ones({4, 4}), box(12, 0, 12)) == Approx(1));
}

TEST_CASE("Attention overlap enlarges the map around its cells' middles", "[captions]") {
  const Tensor map = Tensor::zeros({3, 3});
  map.data<float>()[4] = 1;  // the middle cell of 4 × 4 pixels
  CHECK(attention_overlap(map, box(12, 4, 8)) == Approx(1));
  CHECK(attention_overlap(map, box(12, 8, 12)) < 0.1);
}
