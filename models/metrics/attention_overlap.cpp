#include "models/metrics/attention_overlap.h"

#include <algorithm>
#include <functional>

#include "models/image/resize.h"

namespace glass {

double attention_overlap(const Tensor& map, const Tensor& mask) {
  if (map.ndim() != 2 || mask.ndim() != 2 || mask.dtype() != kBool)
    fail("attention_overlap", "needs a map [h, w] and a mask [H, W] of bool", map.shape(), " and ",
         mask.shape(), " ", mask.dtype());
  const std::vector<double> values =
      resize(map.to(kFloat64), mask.size(0), mask.size(1), Resample::bilinear).to_vector<double>();
  const Tensor inside = mask.contiguous();
  const bool* in = inside.data<bool>();
  const int64_t n = std::ssize(values), k = std::count(in, in + n, true);
  if (k == 0) fail("attention_overlap", "the mask has no pixel", mask.shape());
  std::vector<double> sorted = values;
  std::nth_element(sorted.begin(), sorted.begin() + (k - 1), sorted.end(), std::greater<>());
  const double least = sorted[static_cast<size_t>(k - 1)];
  int64_t above = 0, level = 0, hits = 0, level_hits = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double value = values[static_cast<size_t>(i)];
    above += value > least;
    level += value == least;
    hits += value > least && in[i];
    level_hits += value == least && in[i];
  }
  const double share = static_cast<double>(k - above) / static_cast<double>(level);
  const double both = static_cast<double>(hits) + share * static_cast<double>(level_hits);
  return both / (2 * static_cast<double>(k) - both);
}

}  // namespace glass
