#pragma once

#include "autograd/var.h"

namespace glass {

// Comparisons give bool and have no gradient.
Var eq(In a, In b);
Var ne(In a, In b);
Var lt(In a, In b);
Var le(In a, In b);
Var gt(In a, In b);
Var ge(In a, In b);
Var logical_and(In a, In b);
Var logical_or(In a, In b);
Var logical_not(In x);

inline Var operator==(In a, In b) { return eq(a, b); }
inline Var operator!=(In a, In b) { return ne(a, b); }
inline Var operator<(In a, In b) { return lt(a, b); }
inline Var operator<=(In a, In b) { return le(a, b); }
inline Var operator>(In a, In b) { return gt(a, b); }
inline Var operator>=(In a, In b) { return ge(a, b); }

/// a where condition (bool) is true, else b. The branch not chosen gets gradient zero.
Var where(In condition, In a, In b);
/// x with value (a number or 0-d) wherever mask (bool) is true. Not an attention mask: see
/// nn/mask.h.
Var masked_fill(In x, In mask, In value);

}  // namespace glass
