#include "models/image/resize.h"

#include "tests/catch.h"

using namespace glass;

namespace {

std::vector<double> resized(std::initializer_list<double> values, const Shape& shape, int64_t h,
                            int64_t w, Resample how) {
  return resize(Tensor::from(values, shape), h, w, how).to_vector<double>();
}

}  // namespace

TEST_CASE("Bilinear resizing is PyTorch's", "[image]") {
  // F.interpolate([[0, 1], [2, 3]], size=(4, 4), mode="bilinear", align_corners=False)
  const std::vector<double> expected = {0,   0.25, 0.75, 1,   0.5, 0.75, 1.25, 1.5,
                                        1.5, 1.75, 2.25, 2.5, 2,   2.25, 2.75, 3};
  CHECK(resized({0, 1, 2, 3}, {2, 2}, 4, 4, Resample::bilinear) == expected);
  // Downwards by 3: the middle pixel of each three.
  CHECK(resized({0, 1, 2, 3, 4, 5}, {1, 6}, 1, 2, Resample::bilinear) == std::vector<double>{1, 4});
  CHECK(resized({7}, {1, 1}, 2, 2, Resample::bilinear) == std::vector<double>{7, 7, 7, 7});
}

TEST_CASE("Area resizing is the mean of what is covered", "[image]") {
  CHECK(resized({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4}, 1, 2, Resample::area) ==
        std::vector<double>{2.5, 4.5});
  // Three pixels in two: 1.5 each.
  const std::vector<double> two = resized({3, 6, 9}, {1, 3}, 1, 2, Resample::area);
  CHECK(two[0] == Approx(4));
  CHECK(two[1] == Approx(8));
  const Tensor x = Tensor::from({1.0, 4.0, 2.0, 8.0, 5.0, 7.0}, {1, 2, 3});
  CHECK(resize(x, 1, 1, Resample::area).item() == Approx(4.5));
  CHECK(resize(x, 7, 5, Resample::area).shape() == Shape{1, 7, 5});
  CHECK_THROWS_AS(resize(Tensor::zeros({4}), 1, 1, Resample::area), Error);
  CHECK_THROWS_AS(resize(x, 0, 1, Resample::area), Error);
}

TEST_CASE("A fitted picture is whole, in the middle, on white", "[image]") {
  Image wide(2, 4, 0);
  for (int64_t x = 0; x < 4; ++x) wide.at(0, x)[0] = 100;
  const Image same = fitted(wide, 4);
  CHECK(same.height == 4);
  CHECK(*same.at(0, 2) == 255);
  CHECK(*same.at(1, 2) == 100);
  CHECK(*same.at(2, 2) == 0);
  CHECK(*same.at(3, 0) == 255);
  const Image half = fitted(wide, 2);
  CHECK(*half.at(0, 1) == 50);
  CHECK(*half.at(1, 1) == 255);
  const Image thin = fitted(Image(1, 300, 9), 3);
  CHECK(*thin.at(1, 0) == 9);
}
