#pragma once

#include "autograd/var.h"

namespace glass {

Var cumsum(In x, int64_t dim);   ///< y_i = x_0 + … + x_i along dim
Var cumprod(In x, int64_t dim);  ///< y_i = x_0 · … · x_i along dim

}  // namespace glass
