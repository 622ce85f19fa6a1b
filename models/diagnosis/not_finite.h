#pragma once

#include <functional>
#include <string>

#include "nn/module.h"

namespace glass {

/// The first op of a loss that made a NaN or an infinity.
struct NotFinite {
  std::string op = {};    ///< its name; empty: the loss was finite when it was computed again
  std::string file = {};  ///< where it was called
  int line = 0;
  bool backward = false;   ///< its value is finite, its gradient is not
  std::string cause = {};  ///< "log of 0: 3 of 40 inputs"
  std::string remedy = {};

  /// "op log, called at models/x.cpp:12: log of 0: 3 of 40 inputs; try ..."
  std::string text() const;
};

/// Runs a loss again, and its backward (so gradients are added to), watching every op. An infinity
/// that a mask puts into scores is none of these.
NotFinite find_not_finite(const std::function<Var()>& loss, const NamedVars& parameters);

}  // namespace glass
