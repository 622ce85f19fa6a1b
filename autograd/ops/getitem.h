#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "autograd/var.h"

namespace glass {

/// start, start + step, ... below end; negative ends count from the end, absent ones are the ends.
struct IndexRange {
  std::optional<int64_t> start = {}, end = {};
  int64_t step = 1;
};
struct Ellipsis {};  ///< as many axes as are left
struct NewAxis {};   ///< an axis of size 1

/// What stands between the brackets of x[...], for one axis: a number, a range, places (int64 of
/// any shape, negative ones from the end) or a mask (bool), which takes as many axes as it has.
using Index = std::variant<int64_t, IndexRange, Ellipsis, NewAxis, Var>;

/// x[index...]. Numbers drop their axis; Vars and masks are read together, broadcast, and their
/// axes stand where the first stood, or in front when another axis lies between them. Places
/// outside, steps below 1, too many indices: Error.
Var getitem(In x, const std::vector<Index>& index);

}  // namespace glass
