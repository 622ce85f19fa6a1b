#include <algorithm>
#include <map>

#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass::tests;

namespace {

constexpr long kMostLines = 400;

// Files that may be longer, each with its reason. None is.
const std::map<std::string, std::string> kLonger = {};

long count_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
}

}  // namespace

TEST_CASE("no source grows too long to read", "[ground]") {
  for (const auto& path : all_source_files()) {
    const std::string name = std::filesystem::relative(path, source_root()).string();
    const long lines = count_lines(read_text(path));
    INFO(name << " has " << lines << " lines");
    if (kLonger.count(name) == 0) {
      CHECK(lines <= kMostLines);
    } else {
      CHECK(lines > kMostLines);  // else it needs no exception any more
    }
  }
}

TEST_CASE("the list of long files names only files that exist", "[ground]") {
  for (const auto& [name, reason] : kLonger) {
    INFO(name);
    CHECK(std::filesystem::exists(source_root() / name));
    CHECK(!reason.empty());
  }
}

TEST_CASE("lines are counted with or without a last line break", "[ground]") {
  CHECK(count_lines("") == 0);
  CHECK(count_lines("a") == 1);
  CHECK(count_lines("a\n") == 1);
  CHECK(count_lines("a\n\nb") == 3);
}

TEST_CASE("the script stays short", "[ground]") {
  CHECK(count_lines(read_text(source_root() / "glass")) <= 150);
}
