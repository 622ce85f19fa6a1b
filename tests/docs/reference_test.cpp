#include "models/reference.h"

#include "models/registry.h"
#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("docs/reference.md is what the registry says", "[docs]") {
  INFO("write it anew with: ./glass reference > docs/reference.md");
  CHECK(tests::read_text(tests::source_root() / "docs" / "reference.md") ==
        reference_markdown(all_entries()));
}

TEST_CASE("every entry says what it computes", "[docs]") {
  for (const Entry& entry : all_entries()) {
    INFO(entry.name);
    CHECK_FALSE(entry.formula.empty());
    if (entry.differentiable) CHECK_FALSE(entry.gradient.empty());
  }
}

TEST_CASE("a bar in a formula does not end its cell", "[docs]") {
  const std::string table =
      reference_markdown({{.name = "abs", .formula = "y = |x|", .gradient = "dy·sign(x)"}});
  CHECK_THAT(table, ContainsSubstring("| `abs` | y = \\|x\\| | dy·sign(x) | 1 |"));
}
