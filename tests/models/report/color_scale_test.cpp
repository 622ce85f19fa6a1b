#include "models/report/color_scale.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace glass;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// CIE lightness L* (0 … 100) of an sRGB colour: another measure than the one the scale is made
// with.
double cie_lightness(Rgb c) {
  const auto linear = [](uint8_t byte) {
    const double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

}  // namespace

TEST_CASE("colours are written as six hexadecimal digits", "[report]") {
  CHECK(hex({0x01, 0xab, 0xff}) == "#01abff");
}

TEST_CASE("the light scale falls from white to deep blue in even steps", "[report]") {
  CHECK(color_at(Palette::on_light, 0) == Rgb{255, 255, 255});
  const Rgb deep = color_at(Palette::on_light, 1);
  CHECK(deep.b > 2 * deep.r);
  CHECK(cie_lightness(deep) < 22);
  for (int i = 0; i < 10; ++i) {
    const double step = cie_lightness(color_at(Palette::on_light, i / 10.0)) -
                        cie_lightness(color_at(Palette::on_light, (i + 1) / 10.0));
    INFO("step " << i);
    CHECK(step > 5);
    CHECK(step < 12);
  }
}

TEST_CASE("the dark scale climbs from night blue to nearly white in even steps", "[report]") {
  CHECK(cie_lightness(color_at(Palette::on_dark, 0)) < 20);
  CHECK(cie_lightness(color_at(Palette::on_dark, 1)) > 90);
  for (int i = 0; i < 10; ++i) {
    const double step = cie_lightness(color_at(Palette::on_dark, (i + 1) / 10.0)) -
                        cie_lightness(color_at(Palette::on_dark, i / 10.0));
    INFO("step " << i);
    CHECK(step > 4);
    CHECK(step < 12);
  }
}

TEST_CASE("a colour scale goes from 0 to a round number above the data", "[report]") {
  const auto ends = [](std::vector<std::vector<double>> values) {
    const ValueRange range = range_of(values);
    return std::pair{range.low, range.high};
  };
  CHECK(ends({{0.6, 0.2, 0.2}}) == std::pair{0.0, 1.0});
  CHECK(ends({{1.0 / 3, 1.0 / 3}}) == std::pair{0.0, 0.5});
  CHECK(ends({{0.05}, {0.02}}) == std::pair{0.0, 0.05});
  CHECK(ends({{-3, 7}}) == std::pair{-5.0, 10.0});
  CHECK(ends({{-3}}) == std::pair{-5.0, 0.0});
  CHECK(ends({}) == std::pair{0.0, 1.0});
  CHECK(ends({{0, 0}}) == std::pair{0.0, 1.0});
  CHECK(ends({{std::nan(""), kInfinity, -kInfinity, 0.9}}) == std::pair{0.0, 1.0});
  CHECK(ends({{std::nan("")}}) == std::pair{0.0, 1.0});
  CHECK(ends({{5e-324}}) == std::pair{0.0, 1.0});
}

TEST_CASE("amounts are fractions of the scale and never leave it", "[report]") {
  const ValueRange range{-1, 3};
  CHECK(range.amount(-1) == 0);
  CHECK(range.amount(0) == Approx(0.25));
  CHECK(range.amount(3) == 1);
  CHECK(range.amount(99) == 1);
  CHECK(range.amount(-99) == 0);
  CHECK(range.at(0.25) == Approx(0));
  const double most = std::numeric_limits<double>::max();
  const ValueRange huge = range_of({{-most, most}});
  CHECK(huge.amount(0) == Approx(0.5));
  CHECK(huge.amount(most) == 1);
  CHECK(std::isfinite(huge.at(0.5)));
}
