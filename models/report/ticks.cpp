#include "models/report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/report/label.h"
#include "tensor/error.h"

namespace glass {
namespace {

// 1, 2 or 5 times a power of ten, nearest to value > 0 in proportion.
double round_number(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  const double digit = value / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}

std::string label(double value, double step) {
  const double size = std::max(std::abs(value), step);
  if (step < 1e-6 || size >= 1e9) return number_text(value, 6);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals);
}

}  // namespace

std::vector<Tick> nice_ticks(double low, double high, int wanted, double least) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    fail("nice_ticks", "need finite low <= high", low, " and ", high);
  }
  const double span = high - low;
  // Ends that are equal, or so near or so far that steps between them cannot be told.
  const double size = std::max(std::abs(low), std::abs(high));
  if (!std::isfinite(span) || span <= 1e-12 * size || span < 1e-290) {
    if (low == high) return {{low, number_text(low, 6)}};
    return {{low, number_text(low, 6)}, {high, number_text(high, 6)}};
  }
  const double step = std::max(least, round_number(span / std::max(1, wanted - 1)));
  std::vector<Tick> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last; ++k) ticks.push_back({k * step, label(k * step, step)});
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high) {
  if (!(low > 0) || !std::isfinite(high) || low > high) {
    fail("log_ticks", "need 0 < low <= high", low, " and ", high);
  }
  std::vector<Tick> decades, all;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const int stride = 1 + (last - first) / 8;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, exponent);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      all.push_back({value, number_text(value)});
      if (digit == 1 && (exponent - first) % stride == 0) decades.push_back(all.back());
    }
  }
  return decades.size() >= 3 ? decades : all;
}

}  // namespace glass
