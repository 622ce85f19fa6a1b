#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/registry.h"

namespace glass {

/// Checks the gradients of all samples of the named entries (none named: all). A line per entry,
/// the full report of each sample that fails, and a last line "gradcheck: N passed, N failed". An
/// entry passes when every sample's verdict is the one its row expects. Returns the exit status: 0
/// when nothing failed, else 1. Throws Error for an unknown name, before anything is checked.
int run_gradcheck(const std::vector<Entry>& entries, const std::vector<std::string>& names,
                  std::ostream& out);

}  // namespace glass
