#pragma once

#include <string>
#include <vector>

namespace glass {

/// "a, b or c" for last " or ".
std::string listed(const std::vector<std::string>& words, const std::string& last,
                   const std::string& between = ", ");

/// "; did you mean a, b or c?": the names a slip or two away from what was typed, or containing it,
/// in capital letters or small, unless others are much nearer; else nothing.
std::string did_you_mean(const std::vector<std::string>& names, const std::string& typed);

}  // namespace glass
