#include "autograd/ops/arithmetic.h"

#include "autograd/ops/activation.h"
#include "autograd/ops/comparison.h"
#include "autograd/pointwise.h"
#include "tensor/functions/arithmetic.h"

namespace glass {

using namespace functions;

Var add(In a, In b) { return pointwise(Add{}, a, b); }
Var sub(In a, In b) { return pointwise(Sub{}, a, b); }
Var mul(In a, In b) { return pointwise(Mul{}, a, b); }
Var div(In a, In b) { return pointwise(Div{}, a, b); }
Var pow(In base, In exponent) { return pointwise(Pow{}, base, exponent); }
Var maximum(In a, In b) { return pointwise(Maximum{}, a, b); }
Var minimum(In a, In b) { return pointwise(Minimum{}, a, b); }
Var neg(In x) { return pointwise(Neg{}, x); }
Var abs(In x) { return pointwise(Abs{}, x); }
Var exp(In x) { return pointwise(Exp{}, x); }
Var expm1(In x) { return pointwise(Expm1{}, x); }
Var log(In x) { return pointwise(Log{}, x); }
Var log1p(In x) { return pointwise(Log1p{}, x); }
Var sqrt(In x) { return pointwise(Sqrt{}, x); }
Var rsqrt(In x) { return pointwise(Rsqrt{}, x); }
Var square(In x) { return pointwise(Square{}, x); }
Var reciprocal(In x) { return pointwise(Reciprocal{}, x); }
Var sin(In x) { return pointwise(Sin{}, x); }
Var cos(In x) { return pointwise(Cos{}, x); }
Var erf(In x) { return pointwise(Erf{}, x); }
Var clamp(In x, double min, double max) { return pointwise(Clamp{min, max}, x); }

}  // namespace glass
