#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"

// Backwards broken on purpose: what the gradient checker is checked with.
namespace glass {

/// A mistake that can be planted in a function's backward.
struct Mutation {
  CauseKind cause = CauseKind::sign;
  std::string label;    ///< e.g. "factor ½, input 1"
  size_t input = 0;     ///< whose gradient is wrong, as the function counts its inputs
  bool all = false;     ///< the gradients of all inputs are
  double factor = 1;    ///< for factor
  int64_t axis = 0;     ///< not_reduced: of the output; dropped: -1 for one element
  size_t other = 0;     ///< swapped: the other input
  uint8_t variant = 0;  ///< where a mistake can happen in two ways
};

/// Every mistake that makes sense for f at these inputs: each kind, for each input that requires a
/// gradient (of many inputs, max_inputs of them).
std::vector<Mutation> mutations(const Function& f, const Vars& inputs, size_t max_inputs = 4);

/// A function with f's values and mistaken gradients of the first order. It is one op of the tape,
/// with this name (none: that of the mistake), called where plant() is.
Function plant(const Function& f, const Mutation& mutation, const std::string& name = {},
               const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Whether the mistake changes no gradient on any of the given inputs, in whatever order they are
/// used: each is used several times, and between a forward and its backward comes another forward.
bool is_equivalent(const Function& f, const Mutation& mutation, const std::vector<Vars>& inputs);

}  // namespace glass
