// Documents show code that the tests compile and run: it must be the same, letter by letter.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(GLASS_SOURCE_DIR) + "/" + path);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The parts of a source between "// MARK: TITLE" and "// MARK: end".
std::vector<std::string> shown_parts(const std::string& source, const std::string& mark) {
  std::vector<std::string> parts;
  const std::string end_mark = "// " + mark + ": end";
  for (size_t at = 0; (at = source.find("// " + mark + ": ", at)) != std::string::npos;) {
    const size_t begin = source.find('\n', at) + 1, end = source.find(end_mark, begin);
    REQUIRE(end != std::string::npos);
    parts.push_back(source.substr(begin, end - begin));
    at = end + end_mark.size();
  }
  REQUIRE_FALSE(parts.empty());
  return parts;
}

}  // namespace

TEST_CASE("the documents show the code that the tests run", "[docs]") {
  const std::string shown[][3] = {
      {"README.md", "README", "tests/docs/first_gradient_test.cpp"},
      {"README.md", "README", "tests/docs/first_layer_test.cpp"},
      {"README.md", "README", "tests/nn/models.cpp"},
      {"docs/add_an_op.md", "DOC", "tests/docs/add_an_op_test.cpp"},
      {"docs/add_a_layer.md", "DOC", "tests/docs/add_a_layer_test.cpp"},
      {"docs/gradient_checking.md", "DOC", "tests/docs/gradient_checking_test.cpp"},
      {"docs/attention.md", "DOC", "tests/docs/attention_test.cpp"},
      {"docs/attention.md", "DOC", "tests/docs/attention_traps_test.cpp"},
      {"docs/zh/attention.md", "DOC", "tests/docs/attention_test.cpp"},
      {"docs/zh/attention.md", "DOC", "tests/docs/attention_traps_test.cpp"},
  };
  for (const auto& [document, mark, source] : shown) {
    const std::string text = read(document);
    for (const std::string& part : shown_parts(read(source), mark)) {
      INFO(document << " should show from " << source << ":\n" << part);
      CHECK(text.find(part) != std::string::npos);
    }
  }
}
