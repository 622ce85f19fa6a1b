// Files that are compiled as one unit share their anonymous namespace and their static functions.
// Of two functions of one name the compiler takes the better match, without a word where it is the
// other file's.

#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"

using namespace glass::tests;

namespace {

using Texts = std::vector<std::string>;

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

// The name before the first parenthesis of a line that begins a function, or "".
std::string function_name(const std::string& line) {
  if (line.empty() || !(std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '['))
    return "";
  for (const char* other : {"struct ", "class ", "enum ", "using ", "template ", "namespace "})
    if (line.rfind(other, 0) == 0) return "";
  size_t end = 0;
  for (int angles = 0; end < line.size() && (angles > 0 || line[end] != '('); ++end) {
    if (line[end] == '<') ++angles;
    if (line[end] == '>') --angles;
    if (line[end] == '=') return "";
  }
  if (end == line.size()) return "";
  size_t begin = end;
  bool macro = true;
  while (begin > 0 && is_word(line[begin - 1])) {
    --begin;
    macro = macro && !std::islower(static_cast<unsigned char>(line[begin]));
  }
  return macro ? "" : line.substr(begin, end - begin);
}

// The functions that a source alone knows: static, or in its anonymous namespace.
std::set<std::string> own_functions(const std::string& text) {
  std::set<std::string> names;
  std::istringstream lines(text);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line == "namespace {") inside = true;
    if (line == "}  // namespace") inside = false;
    if (inside || line.rfind("static ", 0) == 0) names.insert(function_name(line));
  }
  names.erase("");
  return names;
}

// Of the sources of a unit, by name, those functions that more than one of them has.
Texts shared_functions(const std::map<std::string, std::string>& sources) {
  std::map<std::string, Texts> owners;
  for (const auto& [name, text] : sources)
    for (const std::string& function : own_functions(text)) owners[function].push_back(name);
  Texts shared;
  for (const auto& [function, files] : owners)
    for (size_t i = 1; i < files.size(); ++i)
      shared.push_back(function + ": " + files[0] + ", " + files[i]);
  return shared;
}

// The sources that a unit joins.
std::map<std::string, std::string> joined_sources(const std::string& unit) {
  std::map<std::string, std::string> sources;
  std::istringstream lines(unit);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t begin = line.find("#include \""), end = line.rfind(".cpp\"");
    if (begin != 0 || end == std::string::npos) continue;
    const std::string path = line.substr(10, end + 4 - 10);
    sources[path] = read_text(path);
  }
  return sources;
}

}  // namespace

TEST_CASE("files that are compiled as one unit name their functions differently", "[ground]") {
  const std::filesystem::path folder = GLASS_BINARY_DIR;
  // A unit that the build does not name is left from an older one.
  const std::string build =
      std::filesystem::exists(folder / "build.ninja") ? read_text(folder / "build.ninja") : "";
  size_t units = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().parent_path().filename() != "Unity" || entry.path().extension() != ".cxx")
      continue;
    const std::string unit = std::filesystem::relative(entry.path(), folder).string();
    if (build.find(unit) == std::string::npos) continue;
    ++units;
    INFO(unit);
    CHECK(shared_functions(joined_sources(read_text(entry.path()))) == Texts{});
  }
  if (units == 0) skip("this build compiles every file by itself");
}

TEST_CASE("functions of one name in two files are seen", "[ground]") {
  const std::string a =
      "namespace {\n\nstruct Row {\n  int at(int i) const;\n};\n\n"
      "template <class T>\nstd::function<T(int)> place_of(const T* x,\n                  int i) {\n"
      "  return x + at(i);\n}\nconst int k = f(3);\nBENCHMARK(x)->Arg(1);\n\n"
      "}  // namespace\n\nint outside(int i) { return i; }\n";
  CHECK(own_functions(a) == std::set<std::string>{"place_of"});
  const std::string b = "namespace {\nint place_of(int i) { return i; }\n}  // namespace\n";
  const std::string c = "int outside(int i);\nnamespace {\n[[noreturn]] void f(int i) {\n";
  CHECK(shared_functions({{"a", a}, {"b", b}, {"c", c}}) == Texts{"place_of: a, b"});
  const std::string d = "static const int k = f(3);\nstatic double place_of(double x) {\n";
  CHECK(shared_functions({{"a", a}, {"d", d}}) == Texts{"place_of: a, d"});
}
