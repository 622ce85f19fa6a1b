#pragma once

#include <string>
#include <vector>

#include "autograd/registry.h"

namespace glass {

/// docs/reference.md: every entry with its formula, derivative and rules, as Markdown tables, one
/// per kind.
std::string reference_markdown(const std::vector<Entry>& entries);

}  // namespace glass
