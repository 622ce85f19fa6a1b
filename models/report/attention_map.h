#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glass {

/// Where a model looked, as plain data: weights[t][s] of source s when target t was written.
struct AttentionMap {
  std::vector<std::string> source, target;
  std::vector<std::vector<double>> weights;
  std::string title;
  std::string source_name = "source", target_name = "target";  ///< of the axes; empty: none
};

/// The sums of the rows, where they say something: of weights that add up to at most one, and to
/// less than 0.995 in some row (local-p, monotonic attention, a query without keys). Otherwise
/// none.
std::vector<double> row_masses(const AttentionMap& map);

/// Throws Error naming op unless there is one row per target and one weight per source in each.
void check_sizes(std::string_view op, const AttentionMap& map);

}  // namespace glass
