#pragma once

#include "nn/module.h"

namespace glass {

/// y_o = x1ᵀ·weight_o·x2 + bias_o; x1 [..., in1], x2 [..., in2]: [..., out].
class Bilinear : public Module {
 public:
  /// Weight and bias from U(-1/√in1_features, 1/√in1_features).
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, bool bias,
           Generator& generator);
  void visit(Visitor& v) override;

  Var operator()(In x1, In x2) const;

  Var weight;  ///< [out, in1, in2]
  Var bias;    ///< [out], or undefined
};

}  // namespace glass
