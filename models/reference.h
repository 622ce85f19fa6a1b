#pragma once

#include <string>
#include <vector>

#include "autograd/registry.h"
#include "models/signatures.h"

namespace glass {

/// docs/reference.md: every entry with its call, formula, derivative, rules and shapes, as Markdown
/// tables, one per kind.
std::string reference_markdown(const std::vector<Entry>& entries, const Signatures& signatures);

}  // namespace glass
