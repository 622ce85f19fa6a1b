#pragma once

#include "autograd/var.h"

namespace glass {

// Along dim. A row of -infinity gives NaN, as 0/0; masked_softmax (attention.h) gives zeros.
Var softmax(In x, int64_t dim);
Var log_softmax(In x, int64_t dim);
/// log(sum(exp(x))) along dim; -infinity for a row of -infinity, with gradient 0.
Var logsumexp(In x, int64_t dim, bool keepdim = false);
Var logsumexp(In x, const Dims& dims, bool keepdim = false);  ///< over several axes

}  // namespace glass
