#pragma once

#include "autograd/var.h"

namespace glass {

/// a·σ(b), a and b the two halves of x along dim, whose size must be even.
Var glu(In x, int64_t dim = -1);
/// x where x > 0, else weight·x; weight [1], or one number per channel (axis 1). Slope weight at 0.
Var prelu(In x, In weight);

}  // namespace glass
