#pragma once

#include <array>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// The windows of a pooling along one axis: output place o takes the elements begin[o], begin[o] +
/// step, ... below end[o]; all lie inside the axis. count[o]: what they count as in an average.
struct PoolAxis {
  std::vector<int64_t> begin{}, end{}, count{};
  int64_t step = 1;

  int64_t outputs() const { return static_cast<int64_t>(begin.size()); }
};

/// The windows of a pooling over the last two axes. divisor (0: none) replaces the counts.
struct Pool {
  std::array<PoolAxis, 2> axes;
  int64_t divisor = 0;

  double weight(int64_t row, int64_t column) const {
    const auto r = static_cast<size_t>(row), c = static_cast<size_t>(column);
    return 1.0 / static_cast<double>(divisor ? divisor : axes[0].count[r] * axes[1].count[c]);
  }
};

}  // namespace glass
