#pragma once

#include "autograd/var.h"
#include "tensor/random.h"

namespace glass {

/// In training: each element is 0 with probability p, else x / (1 - p). Otherwise, and for p = 0, x
/// itself, and nothing is drawn. The node keeps the place in the stream of random numbers instead
/// of a mask. Throws Error when p is not in [0, 1].
Var dropout(In x, double p, bool training, Generator& generator);

}  // namespace glass
