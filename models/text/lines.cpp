#include "models/text/lines.h"

#include <algorithm>

#include "models/text/text_file.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {

void LineWarning::add(int64_t line) {
  if (count++ < static_cast<int64_t>(kShown)) lines.push_back(line);
}

std::string LineWarning::text() const {
  std::string numbers;
  for (int64_t line : lines) numbers += (numbers.empty() ? "" : ", ") + std::to_string(line);
  if (count > static_cast<int64_t>(lines.size())) numbers += ", …";
  return what + ": " + std::to_string(count) + (count == 1 ? " line (" : " lines (") + numbers +
         ")";
}

std::string_view utf8_body(std::string_view text, std::string_view op, std::string_view name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    fail(op, "text must be UTF-8, this is UTF-16", name);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const size_t bare = text.find('\r'), end = text.find('\n');
  if (bare != std::string_view::npos && bare + 1 < text.size() && end == std::string_view::npos)
    fail(op, "lines must end with a line feed; here they end with a carriage return alone", name);
  return text;
}

std::string_view take_until(std::string_view& rest, char mark) {
  const size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string_view take_line(std::string_view& rest) {
  std::string_view line = take_until(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

LineFile read_lines(const std::string& path) {
  const std::string bytes = read_text_file(path);
  std::string_view text = utf8_body(bytes, "read_lines", path);
  LineFile file;
  LineWarning bad{path + ", bad UTF-8, replaced by U+FFFD", 0, {}};
  while (!text.empty()) {
    RepairedText repaired = repair_utf8(take_line(text));
    file.lines.push_back(std::move(repaired.text));
    if (repaired.replaced > 0) bad.add(static_cast<int64_t>(file.lines.size()));
  }
  if (bad.count > 0) file.warnings.push_back(bad.text());
  return file;
}

}  // namespace glass
