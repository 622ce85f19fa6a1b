#pragma once

#include <string>
#include <utility>
#include <vector>

namespace glass {

/// The lines of an open file as they come: a person at a terminal is answered line by line, and a
/// file is read in large parts.
class InputLines {
 public:
  static constexpr size_t kLongest = size_t{1} << 24;  ///< bytes of a line

  /// Does not close the descriptor. Errors are op's, and name the file: "standard input".
  InputLines(int descriptor, std::string op, std::string name)
      : descriptor_(descriptor), op_(std::move(op)), name_(std::move(name)) {}

  /// Waits for a line and returns all that are there; none at the end. A carriage return at the end
  /// of a line and a byte order mark before the first are dropped; the last line need not be
  /// closed. Throws when the file cannot be read, is UTF-16 or packed, or a line is longer than
  /// kLongest.
  std::vector<std::string> next();

 private:
  int descriptor_;
  std::string op_, name_, rest_;  // rest_: the beginning of a line
  bool begun_ = false, ended_ = false;
  size_t returned_ = 0;  // lines
};

}  // namespace glass
