#include "models/registry.h"

#include "nn/table.h"

namespace glass {

const std::vector<Entry>& all_entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> joined = op_entries();
    joined.insert(joined.end(), nn_entries().begin(), nn_entries().end());
    return joined;
  }();
  return all;
}

}  // namespace glass
