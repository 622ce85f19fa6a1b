#include "models/report/attention_map.h"

#include "tensor/error.h"

namespace glass {

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
