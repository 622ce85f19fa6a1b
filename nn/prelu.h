#pragma once

#include "nn/module.h"

namespace glass {

/// y = x where x > 0, else weight·x (He et al. 2015). One weight, or one for each channel (axis 1);
/// it starts as init.
class PReLU : public Module {
 public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25);
  void visit(Visitor& v) override { v("weight", weight); }

  Var operator()(In x) const;

  Var weight;  ///< [num_parameters]
};

}  // namespace glass
