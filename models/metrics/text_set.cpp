#include "models/metrics/text_set.h"

#include <unordered_map>

#include "models/text/lines.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

std::vector<std::string> take_lines(const std::string& path, std::vector<std::string>& warnings) {
  LineFile file = read_lines(path);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  return std::move(file.lines);
}

}  // namespace

TextSet read_parallel(const std::string& hypotheses, const std::vector<std::string>& references) {
  TextSet set;
  set.hypotheses = take_lines(hypotheses, set.warnings);
  set.references.resize(set.hypotheses.size());
  for (const std::string& path : references) {
    std::vector<std::string> lines = take_lines(path, set.warnings);
    if (lines.size() != set.hypotheses.size())
      fail_environment("score", "files differ in their number of lines", hypotheses, " has ",
                       set.hypotheses.size(), ", ", path, " has ", lines.size());
    for (size_t i = 0; i < lines.size(); ++i) set.references[i].push_back(std::move(lines[i]));
  }
  if (set.hypotheses.empty()) fail_environment("score", "there is no line", hypotheses);
  return set;
}

TextSet read_captions(const std::string& path) {
  TextSet set;
  std::unordered_map<std::string, size_t> first;  // the line of each identifier
  size_t number = 0;
  for (const std::string& line : take_lines(path, set.warnings)) {
    ++number;
    if (trim(line).empty()) continue;
    std::string_view rest = line;
    const std::string id(trim(take_until(rest, '\t')));
    std::string hypothesis(take_until(rest, '\t'));
    std::vector<std::string> references;
    while (!rest.empty()) {
      const std::string_view reference = take_until(rest, '\t');
      if (!trim(reference).empty()) references.emplace_back(reference);
    }
    if (references.empty())
      fail_environment("score", "a line must be ID TAB HYPOTHESIS TAB REFERENCE ...", path,
                       ", line ", number);
    const auto [found, is_new] = first.emplace(id, number);
    if (!is_new)
      fail_environment("score", "an identifier comes twice", path, ", lines ", found->second,
                       " and ", number, ": ", id);
    set.hypotheses.push_back(std::move(hypothesis));
    set.references.push_back(std::move(references));
  }
  if (set.hypotheses.empty()) fail_environment("score", "there is no caption", path);
  return set;
}

}  // namespace glass
