#pragma once

#include <vector>

#include "autograd/registry.h"

namespace glass {

/// Every op and layer that Glass knows, in the order of the folders.
const std::vector<Entry>& all_entries();

}  // namespace glass
