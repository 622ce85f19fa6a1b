#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// What an op's inputs say of the NaN or infinity that it made.
struct NumericCause {
  std::string what, remedy;
  bool certain = false;  ///< the inputs prove it
};

struct ValueCounts {
  int64_t all = 0, nan = 0, plus_infinity = 0, minus_infinity = 0, zero = 0, negative = 0;
  double largest = 0;  ///< |x| of the finite ones
};
/// Of a floating tensor.
ValueCounts counts(const Tensor& x);

/// inputs: undefined ones are not known.
NumericCause cause_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Tensor& output);
/// Of a gradient, where all values are finite.
NumericCause backward_cause_of(const std::string& op, const std::vector<Tensor>& inputs);

}  // namespace glass
