#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace glass {

/// Levenshtein distance: the fewest insertions, deletions and substitutions that turn a into b.
template <class Token>
int64_t edit_distance(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::vector<int64_t> cost(b.size() + 1);  // of turning the first i of a into the first j of b
  std::iota(cost.begin(), cost.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = cost[0];  // cost[j - 1] of the row before
    cost[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t substituted = diagonal + (a[i] == b[j - 1] ? 0 : 1);
      diagonal = cost[j];
      cost[j] = std::min({substituted, cost[j] + 1, cost[j - 1] + 1});
    }
  }
  return cost.back();
}

}  // namespace glass
