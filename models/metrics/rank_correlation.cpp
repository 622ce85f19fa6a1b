#include "models/metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/error.h"

namespace glass {

std::vector<double> ranks(const std::vector<double>& values) {
  for (const double value : values)
    if (std::isnan(value)) fail("ranks", "a value that is no number has no rank", value);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> places(values.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = static_cast<double>(first + 1 + end) / 2;  // mean of first + 1 … end
    for (size_t i = first; i < end; ++i) places[order[i]] = shared;
  }
  return places;
}

std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size())
    fail("spearman", "both sides must have as many values", a.size(), " and ", b.size());
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = (static_cast<double>(x.size()) + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
    xy += (x[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return {};
  return xy / std::sqrt(xx * yy);
}

}  // namespace glass
