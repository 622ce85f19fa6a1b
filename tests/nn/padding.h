#pragma once

#include <functional>
#include <vector>

#include "nn/module.h"

// Checks that any layer with lengths must pass. The layer takes 3 features, time first.
namespace glass::tests {

/// x [T, B, 3] and lengths to the output [T, B, ...] and states [layers, B, H].
using PaddedLayer =
    std::function<std::vector<Var>(const Var& x, const std::vector<int64_t>& lengths)>;

/// Fills the padding with zeros, NaN, infinities and large numbers: results and all gradients must
/// be equal to the last bit, padded outputs and gradients 0. Upstream gradients of padded outputs
/// are NaN.
void check_padding_is_never_read(Module& module, const PaddedLayer& layer);

/// Values, states and gradients of a batch against those of its rows one at a time; float64.
void check_rows_run_alone(Module& module, const PaddedLayer& layer);

}  // namespace glass::tests
