#pragma once

#include <optional>

#include "autograd/ops/reduction.h"

// x [N, C, H, W] or [C, H, W], for one axis [N, C, L] or [C, L]. Of each list one number per axis,
// or one for all.
namespace glass {

struct MaxPoolOptions {
  Dims stride = {};  ///< none: the kernel's size
  Dims padding = {0};
  Dims dilation = {1};
  bool ceil_mode = false;  ///< a last window may stick out over the padding
};

struct AvgPoolOptions {
  Dims stride = {};
  Dims padding = {0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override = {};  ///< what each sum is divided by
};

/// Largest value of each window and its place in the flat plane (int64); ties: the first, which
/// gets the whole gradient. Padding is never chosen.
ValueIndex max_pool1d(In x, const Dims& kernel, const MaxPoolOptions& options = {});
ValueIndex max_pool2d(In x, const Dims& kernel, const MaxPoolOptions& options = {});
Var avg_pool1d(In x, const Dims& kernel, const AvgPoolOptions& options = {});
Var avg_pool2d(In x, const Dims& kernel, const AvgPoolOptions& options = {});

/// Windows chosen so that the output has the given size (-1: the input's): from ⌊o·in/out⌋ to
/// ⌈(o+1)·in/out⌉.
Var adaptive_avg_pool1d(In x, const Dims& output_size);
Var adaptive_avg_pool2d(In x, const Dims& output_size);
ValueIndex adaptive_max_pool2d(In x, const Dims& output_size);

}  // namespace glass
