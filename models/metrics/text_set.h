#pragma once

#include <string>
#include <vector>

namespace glass {

/// Lines to be scored: references[i] are those of hypotheses[i].
struct TextSet {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  std::vector<std::string> warnings = {};
};

/// Line i of every file belongs together. Files as read_lines() takes them; an empty line is an
/// empty text. Throws when two files differ in their number of lines, naming both counts, and when
/// there is no line.
TextSet read_parallel(const std::string& hypotheses, const std::vector<std::string>& references);

/// A set of captions, one image a line: identifier, hypothesis and references, tab-separated. Empty
/// references are left out (images may have unequally many); blank lines too. Throws, naming the
/// line, for one without a reference and for an identifier that comes twice; and when there is no
/// line.
TextSet read_captions(const std::string& path);

}  // namespace glass
