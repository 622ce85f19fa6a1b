#include "models/report/attention_map.h"

#include "tensor/error.h"

namespace glass {

std::vector<double> row_masses(const AttentionMap& map) {
  std::vector<double> masses;
  bool lost = false;
  for (const auto& row : map.weights) {
    double mass = 0;
    for (const double weight : row) {
      if (!(weight >= 0)) return {};
      mass += weight;
    }
    if (mass > 1.001) return {};
    lost = lost || mass < 0.995;
    masses.push_back(mass);
  }
  return lost && !map.source.empty() ? masses : std::vector<double>{};
}

void check_sizes(std::string_view op, const AttentionMap& map) {
  if (map.weights.size() != map.target.size()) {
    fail(op, "need one row of weights per target", map.weights.size(), " rows and ",
         map.target.size(), " targets");
  }
  for (size_t row = 0; row < map.weights.size(); ++row) {
    if (map.weights[row].size() != map.source.size()) {
      fail(op, "need one weight per source in every row", "row ", row, " has ",
           map.weights[row].size(), " weights for ", map.source.size(), " sources");
    }
  }
}

}  // namespace glass
