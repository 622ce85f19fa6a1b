#include "models/text/lines.h"

#include "tests/catch.h"
#include "tests/models/text/data.h"

using namespace glass;

TEST_CASE("lines keep what is between their ends", "[text]") {
  const tests::TemporaryFile file("lines", "\xEF\xBB\xBF a \r\n\r\r\n\xEF\xBB\xBF\n\nlast");
  const LineFile read = read_lines(file.path());
  CHECK(read.lines == std::vector<std::string>{" a ", "\r", "\uFEFF", "", "last"});
  CHECK(read.warnings.empty());
}

TEST_CASE("a file of one line break is one empty line", "[text]") {
  const tests::TemporaryFile one("one", "\n"), none("none", "");
  CHECK(read_lines(one.path()).lines == std::vector<std::string>{""});
  CHECK(read_lines(none.path()).lines.empty());
}

TEST_CASE("lines that end with a carriage return alone are refused", "[text]") {
  CHECK_THROWS_WITH(utf8_body("one\rtwo\r", "read_lines", "a.txt"),
                    Catch::Matchers::ContainsSubstring("a carriage return alone") &&
                        Catch::Matchers::ContainsSubstring("a.txt"));
  for (const char* good : {"one", "one\r", "one\r\ntwo", "o\rne\n", "\r", ""})
    CHECK(utf8_body(good, "read_lines", "a.txt") == good);
}
