#include "autograd/ops/activation.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/pointwise.h"
#include "tensor/functions/activation.h"

namespace glass {

using namespace functions;

Var tanh(In x) { return pointwise(Tanh{}, x); }
Var sigmoid(In x) { return pointwise(Sigmoid{}, x); }
Var relu(In x) { return pointwise(Relu{}, x); }
Var leaky_relu(In x, double negative_slope) { return pointwise(LeakyRelu{negative_slope}, x); }
Var elu(In x, double alpha) { return pointwise(Elu{alpha}, x); }
Var gelu(In x, GeluKind approximate) {
  return approximate == GeluKind::exact ? pointwise(Gelu{}, x) : pointwise(GeluTanh{}, x);
}
Var silu(In x) { return pointwise(Silu{}, x); }
Var softplus(In x, double beta, double threshold) {
  return pointwise(Softplus{beta, threshold}, x);
}
Var logsigmoid(In x) { return pointwise(LogSigmoid{}, x); }

}  // namespace glass
