#include "models/metrics/attention_spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/error.h"

namespace glass {
namespace {

constexpr double kRounding = 1e-4;  // of float32 weights, summed

void check_rows(const char* op, const std::vector<std::vector<double>>& weights) {
  for (size_t t = 0; t < weights.size(); ++t) {
    const std::vector<double>& row = weights[t];
    if (row.size() != weights.front().size())
      fail(op, "rows differ in length", "row ", t, " has ", row.size(), ", row 0 ",
           weights.front().size());
    for (double weight : row)
      if (!(weight >= 0)) fail(op, "a weight must be at least 0", "row ", t, " has ", weight);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum <= 1 + kRounding)) fail(op, "a row must sum to at most 1", "row ", t, ": ", sum);
  }
}

double information(double p) { return p > 0 ? -p * std::log(p) : 0; }

}  // namespace

double attention_entropy(const std::vector<std::vector<double>>& weights,
                         const EntropyOptions& options) {
  check_rows("attention_entropy", weights);
  if (options.window < 0) fail("attention_entropy", "window must be at least 0", options.window);
  double sum = 0;
  for (const std::vector<double>& row : weights) {
    const auto keys = static_cast<int64_t>(row.size());
    const int64_t reach = options.window > 0 ? std::min(options.window, keys) : keys;
    const int64_t cells = reach + (options.lost_mass ? 1 : 0);
    if (cells < 2) continue;
    double entropy = 0;
    for (double weight : row) entropy += information(weight);
    if (options.lost_mass)
      entropy += information(std::max(0.0, 1 - std::accumulate(row.begin(), row.end(), 0.0)));
    sum += std::max(0.0, entropy / std::log(static_cast<double>(cells)));
  }
  return weights.empty() ? 0 : sum / static_cast<double>(weights.size());
}

double coverage_deviation(const std::vector<std::vector<double>>& weights) {
  check_rows("coverage_deviation", weights);
  if (weights.empty()) return 0;
  double sum = 0;
  for (size_t j = 0; j < weights.front().size(); ++j) {
    double covered = 0;
    for (const std::vector<double>& row : weights) covered += row[j];
    sum += (1 - covered) * (1 - covered);
  }
  return sum;
}

}  // namespace glass
