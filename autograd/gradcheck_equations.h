#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// What an op should have given: one equation per upstream vector and direction,
///   <u, slope of y> = Σ_i <gradient_i, slope of x_i>
struct Equations {
  std::vector<double> left, scale;
  std::vector<std::vector<Tensor>> gradients;  // per upstream vector, per input
  std::vector<std::vector<Tensor>> slopes;     // per direction, per input
  size_t inputs = 0;
  std::string thrown;  // what backward said

  /// Of the equations with right(gradients, slopes) on the right side, the largest relative error.
  template <class Change>
  double residual(const Change& right) const {
    double worst = 0;
    size_t row = 0;
    for (const auto& gradient : gradients)
      for (const auto& slope : slopes) {
        const double off = std::abs(left[row] - right(gradient, slope));
        if (!std::isfinite(off)) return std::numeric_limits<double>::infinity();
        if (scale[row] > 0) worst = std::max(worst, off / scale[row]);
        ++row;
      }
    return worst;
  }
  double residual() const;
};

/// What would put the equations right: a change of one gradient that can be undone. In words; empty
/// when nothing does.
std::string cause_of(const Equations& equations, double tolerance);

}  // namespace glass
