#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

enum class PadMode : uint8_t { constant, reflect, replicate, circular };

/// x with new places around it. sizes: before and after of the last axis, then of the one before
/// it, ...; negative ones cut off. constant: the places hold value; reflect mirrors x without its
/// edge (sizes below the axis); replicate repeats the edge; circular continues at the other end
/// (sizes up to the axis).
Var pad(In x, const std::vector<int64_t>& sizes, PadMode mode = PadMode::constant,
        double value = 0);

}  // namespace glass
