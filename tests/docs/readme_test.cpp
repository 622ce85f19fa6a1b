// README.md shows code that the tests compile and run: it must be the same, letter by letter.
#include <fstream>
#include <sstream>

#include "tests/catch.h"

namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(GLASS_SOURCE_DIR) + "/" + path);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// What stands between "// README: TITLE" and "// README: end".
std::string shown_part(const std::string& source) {
  const size_t title = source.find("// README: a");
  REQUIRE(title != std::string::npos);
  const size_t begin = source.find('\n', title) + 1, end = source.find("// README: end");
  REQUIRE(end != std::string::npos);
  return source.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("README shows the code that the tests run") {
  const std::string readme = read("README.md");
  for (const char* file :
       {"tests/docs/first_gradient_test.cpp", "tests/docs/first_layer_test.cpp"}) {
    INFO(file);
    CHECK(readme.find(shown_part(read(file))) != std::string::npos);
  }
}
