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
};

/// Throws Error naming op unless there is one row per target and one weight per source in each.
void check_sizes(std::string_view op, const AttentionMap& map);

}  // namespace glass
