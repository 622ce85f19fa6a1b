#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "models/report/terminal.h"

namespace glass {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

int64_t columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view text = variable("COLUMNS");
  int64_t columns = 0;
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : TerminalStyle{}.width;
}

TerminalColor color() {
  const std::string_view term = variable("TERM"), depth = variable("COLORTERM");
  if (isatty(STDOUT_FILENO) == 0 || !variable("NO_COLOR").empty()) return TerminalColor::none;
  if (depth == "truecolor" || depth == "24bit") return TerminalColor::rgb;
  return term.find("256color") != std::string_view::npos ? TerminalColor::palette_256
                                                         : TerminalColor::none;
}

}  // namespace

TerminalStyle standard_output_style() { return {columns(), color()}; }

}  // namespace glass
