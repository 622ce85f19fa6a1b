#include "models/ranges.h"

#include <fmt/format.h>

namespace glass {

std::string WholeRange::text() const {
  return fmt::format("a whole number from {} to {}", low, high);
}

std::string NumberRange::text() const {
  return fmt::format(
      "a number {} {}{} {}", above_low ? "above" : "from", low,
      below_high ? (above_low ? " and below" : " to below") : (above_low ? " and at most" : " to"),
      high);
}

}  // namespace glass
