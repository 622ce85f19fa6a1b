#pragma once

#include <string>

namespace glass {

/// docs/diagnosis.md: the table of all rules.
std::string diagnosis_markdown();

}  // namespace glass
