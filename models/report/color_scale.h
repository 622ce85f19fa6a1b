#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glass {

struct Rgb {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// "#1a2b3c".
std::string hex(Rgb color);

/// Colours for amounts 0 … 1, from nothing to much: white to deep blue on a light page, night blue
/// to pale cyan on a dark one. Equal steps look equal: lightness in OKLab is linear in the amount.
enum class Palette : uint8_t { on_light, on_dark };
Rgb color_at(Palette palette, double amount);

/// What the two ends of a colour scale stand for. low < high, both finite.
struct ValueRange {
  double low = 0, high = 1;
  /// 0 … 1 for a finite value; values outside the range go to its ends.
  double amount(double value) const;
  /// The value that stands for an amount.
  double at(double amount) const { return low * (1 - amount) + high * amount; }
};

/// From 0 (or a round number below the least value) to a round number not below the greatest, so
/// that pictures stay comparable and equal weights do not look like full ones. NaN and infinities
/// are left out; the range of nothing, or of zeros, is 0 … 1.
ValueRange range_of(const std::vector<std::vector<double>>& values);

}  // namespace glass
