#pragma once

#include <string>
#include <vector>

namespace glass::gradcheck_lesson {

/// The printed blocks of docs/gradient_checking.md, in its order.
std::vector<std::string> outputs();

}  // namespace glass::gradcheck_lesson
