#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glass {

/// One kind of trouble met in a file: how many lines had it and the numbers (from 1) of the first
/// few.
struct LineWarning {
  static constexpr size_t kShown = 5;

  std::string what;
  int64_t count = 0;
  std::vector<int64_t> lines;  ///< at most kShown

  void add(int64_t line);
  /// "empty side, skipped: 7 lines (3, 9, 14, 15, 20, …)"
  std::string text() const;
};

/// A text without its byte order mark. Throws, naming `name`, when it is UTF-16 or its lines end
/// with carriage returns alone.
std::string_view utf8_body(std::string_view text, std::string_view op, std::string_view name);

/// The text up to the next `mark` or the end; removed from `rest` together with the mark.
std::string_view take_until(std::string_view& rest, char mark);

/// The next line without its end, "\n" or "\r\n"; removed from `rest` together with it.
std::string_view take_line(std::string_view& rest);

struct LineFile {
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

/// Every line of a file, plain or .gz, empty ones too. A byte order mark at the start and a
/// carriage return at the end of a line are dropped; the last line need not be closed. Bad UTF-8 is
/// replaced (utf8.h), with a warning. Throws when the file cannot be read, and as utf8_body().
LineFile read_lines(const std::string& path);

}  // namespace glass
