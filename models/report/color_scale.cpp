#include "models/report/color_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace glass {
namespace {

// Linear light to sRGB (IEC 61966-2-1), 0 … 255.
uint8_t gamma_byte(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double y = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * y));
}

// OKLab in polar form to sRGB (B. Ottosson, "A perceptual color space for image processing",
// 2020). hue in degrees.
Rgb from_oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue * std::numbers::pi / 180);
  const double b = chroma * std::sin(hue * std::numbers::pi / 180);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {gamma_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

// The least of 1, 2, 5 times a power of ten that is not below value > 0.
double round_up(double value) {
  if (value > 1e300) return value;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

constexpr double kLeastTop = 1e-290;  // below it halves and powers of ten would vanish

}  // namespace

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

Rgb color_at(Palette palette, double amount) {
  const double t = std::clamp(amount, 0.0, 1.0);
  const double arc = std::numbers::pi * t;
  return palette == Palette::on_light
             ? from_oklch(1 - 0.7 * t, 0.15 * std::sin(0.75 * arc), 228 + 38 * t)
             : from_oklch(0.27 + 0.68 * t, 0.035 + 0.11 * std::sin(arc), 268 - 60 * t);
}

double ValueRange::amount(double value) const {
  // Halves, so that the width of a range of huge numbers does not overflow.
  return std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0);
}

ValueRange range_of(const std::vector<std::vector<double>>& values) {
  double least = 0, greatest = 0;
  for (const auto& row : values) {
    for (double value : row) {
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  const double low = least < -kLeastTop ? -round_up(-least) : 0;
  if (greatest > kLeastTop) return {low, round_up(greatest)};
  return {low, low < 0 ? 0.0 : 1.0};
}

}  // namespace glass
