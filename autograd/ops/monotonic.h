#pragma once

#include "autograd/var.h"

namespace glass {

/// Expected monotonic alignment (Raffel et al. 2017, section 2.3), by its exact recurrence: output
/// step i scans the keys from where step i-1 stopped and stops at key j with probability p[i, j].
///   q_{i,j} = (1 - p_{i,j-1})·q_{i,j-1} + α_{i-1,j}   the chance that step i looks at key j
///   α_{i,j} = p_{i,j}·q_{i,j}                         and stops there
/// p [N, T, S]; previous [N, S] = α before the first step (all at key 0 to begin with). Returns
/// α [N, T, S]; a row may sum to less than one: the rest ran past the last key. p = 0 (a hidden
/// key) and p = 1 are exact, also in the gradient: nothing is divided. O(T·S).
Var monotonic_attention(In p, In previous);

}  // namespace glass
