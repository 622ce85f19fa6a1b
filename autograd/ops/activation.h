#pragma once

#include "autograd/var.h"

namespace glass {

// Formulas and derivatives: tensor/functions/activation.h.
Var tanh(In x);
Var sigmoid(In x);
Var relu(In x);  ///< slope 0 at 0
Var leaky_relu(In x, double negative_slope = 0.01);
Var elu(In x, double alpha = 1);
enum class GeluKind : uint8_t { exact, tanh };
Var gelu(In x, GeluKind approximate = GeluKind::exact);
Var silu(In x);
Var softplus(In x, double beta = 1, double threshold = 20);
Var logsigmoid(In x);

}  // namespace glass
