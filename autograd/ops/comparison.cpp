#include "autograd/ops/comparison.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/pointwise.h"
#include "tensor/functions/comparison.h"

namespace glass {

using namespace functions;

Var eq(In a, In b) { return pointwise(Equal{}, a, b); }
Var ne(In a, In b) { return pointwise(NotEqual{}, a, b); }
Var lt(In a, In b) { return pointwise(Less{}, a, b); }
Var le(In a, In b) { return pointwise(LessEqual{}, a, b); }
Var gt(In a, In b) { return pointwise(Greater{}, a, b); }
Var ge(In a, In b) { return pointwise(GreaterEqual{}, a, b); }
Var logical_and(In a, In b) { return pointwise(LogicalAnd{}, a, b); }
Var logical_or(In a, In b) { return pointwise(LogicalOr{}, a, b); }
Var logical_not(In x) { return pointwise(LogicalNot{}, x); }

Var where(In condition, In a, In b) { return pointwise(Where{}, condition, a, b); }
Var masked_fill(In x, In mask, double value) {
  return where(mask, In(value, x.where.file, x.where.line), x);
}

}  // namespace glass
