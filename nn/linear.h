#pragma once

#include "nn/module.h"

namespace glass {

/// y = x·weightᵀ + bias; x [..., in_features], y [..., out_features].
class Linear : public Module {
 public:
  /// Weight and bias from U(-1/√in_features, 1/√in_features).
  Linear(int64_t in_features, int64_t out_features, bool bias, Generator& generator);
  /// A layer over given values: weight [out, in], bias [out] or undefined.
  static Linear from(Var weight, Var bias = {});
  void visit(Visitor& v) override;

  Var operator()(In x) const { return linear(x, weight, bias); }

  Var weight;  ///< [out_features, in_features]
  Var bias;    ///< [out_features], or undefined

 private:
  Linear() = default;
};

}  // namespace glass
