#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), norm being that of all of them as one
/// vector, which is returned: (Σ |g|^p)^(1/p) for p = norm_type, the largest |g| for infinity. A
/// gradient shared by two names counts once; parameters without one do not count.
/// When the norm is not finite nothing is changed: Error, or without error_if_nonfinite the norm
/// is returned, and the caller may skip the step.
double clip_grad_norm_(const std::vector<Var>& params, double max_norm, double norm_type = 2,
                       bool error_if_nonfinite = true);

/// Clamps every gradient to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Var>& params, double clip_value);

}  // namespace glass
