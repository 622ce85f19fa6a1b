#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glass {

/// "a, b or c" for last " or ".
std::string listed(const std::vector<std::string>& words, const std::string& last,
                   const std::string& between = ", ");

/// "1 head", "2 heads": a count of something whose plural has an s.
std::string counted(int64_t count, const std::string& noun);

/// "; did you mean a, b or c?": the names a slip or two away from what was typed, or containing it,
/// in capital letters or small, unless others are much nearer; else nothing.
std::string did_you_mean(const std::vector<std::string>& names, const std::string& typed);

}  // namespace glass
