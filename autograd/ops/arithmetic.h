#pragma once

#include "autograd/var.h"

namespace glass {

// Elementwise functions; operands broadcast, a number takes the type of the tensor it meets.
// Formulas and derivatives: tensor/functions/arithmetic.h.
Var add(In a, In b);
Var sub(In a, In b);
Var mul(In a, In b);
Var div(In a, In b);
enum class Rounding : uint8_t { floor, trunc };
Var div(In a, In b, Rounding rounding);  ///< rounded down, or towards 0; no gradient
Var pow(In base, In exponent);
Var maximum(In a, In b);  ///< ties split the gradient evenly
Var minimum(In a, In b);
Var neg(In x);
Var abs(In x);  ///< slope 0 at 0
Var exp(In x);
Var expm1(In x);
Var log(In x);
Var log1p(In x);
Var sqrt(In x);
Var rsqrt(In x);
Var square(In x);
Var reciprocal(In x);
Var sin(In x);
Var cos(In x);
Var erf(In x);
Var clamp(In x, double min, double max);  ///< slope 1 on the bounds
/// Bounds that broadcast to x; either may be undefined. The gradient goes where the value comes
/// from.
Var clamp(In x, const Var& min, const Var& max);

inline Var operator+(In a, In b) { return add(a, b); }
inline Var operator-(In a, In b) { return sub(a, b); }
inline Var operator*(In a, In b) { return mul(a, b); }
inline Var operator/(In a, In b) { return div(a, b); }
inline Var operator-(In x) { return neg(x); }

}  // namespace glass
