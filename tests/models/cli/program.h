#pragma once

#include <string>
#include <vector>

namespace glass::tests {

struct Output {
  int status;
  std::string out, err;
};

/// What `glass ARGUMENTS` prints and returns, run in this process. out_path: where standard output
/// goes instead of Output::out. in_path: where standard input comes from instead of input.
Output program(const std::vector<std::string>& arguments, const std::string& input = "",
               const std::string& out_path = "", const std::string& in_path = "");

}  // namespace glass::tests
