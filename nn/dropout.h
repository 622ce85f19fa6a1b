#pragma once

#include "nn/module.h"

namespace glass {

/// In training: each element is 0 with probability p, else x / (1 - p). In evaluation: x.
class Dropout : public Module {
 public:
  /// generator: where it draws from; it belongs to the model, which saves it, and must outlive the
  /// layer. Copies of the layer draw from the same one.
  Dropout(double p, Generator& generator);
  void visit(Visitor&) override {}

  Var operator()(In x) const { return dropout(x, p_, is_training(), *generator_); }
  double p() const { return p_; }

 private:
  double p_;
  Generator* generator_;
};

}  // namespace glass
