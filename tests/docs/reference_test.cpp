#include "models/reference.h"

#include "models/registry.h"
#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("docs/reference.md is what the registry says", "[docs]") {
  INFO("write it anew with: ./glass reference > docs/reference.md");
  CHECK(tests::read_text(tests::source_root() / "docs" / "reference.md") ==
        reference_markdown(all_entries(), Signatures::read(GLASS_SOURCE_DIR)));
}

TEST_CASE("the reference knows how everything is called", "[docs]") {
  const Signatures signatures = Signatures::read(GLASS_SOURCE_DIR);
  for (const Entry& entry : all_entries()) {
    INFO(entry.name);
    if (entry.name.starts_with("attention.")) continue;  // forms of Attention
    const std::string name = entry.name == "std" ? "standard_deviation" : entry.name;
    CHECK_THAT(signatures.of(name), ContainsSubstring("("));
  }
}

TEST_CASE("a call is shown with its arguments, their defaults and options", "[docs]") {
  const Signatures signatures(
      "struct PoolOptions {\n  Dims stride = {};  ///< none\n  double p = 2, eps = 1e-6;\n"
      "  enum class Mode : uint8_t { min, max } mode = Mode::min;\n};\n"
      "struct MaxPoolOptions {\n  bool ceil = false;\n};\n"
      "Var max_pool(In x, const MaxPoolOptions& options = {});\n"
      "Var pool(In x, const Dims& kernel, const PoolOptions& options = {});\n"
      "Var pool(In x);\n"
      "Var cat(const std::vector<Var>& tensors, const char* file = __builtin_FILE());\n"
      "class Layer {\n  Layer(int64_t size, bool bias, Generator& generator);\n"
      "  Var operator()(In x) { return pool(x, size, options); }\n};\n"
      "class Recorder {\n  void pool(int layer, Var weights, Var mass, Var gate, Var step);\n};\n"
      "Var norm(In x, double p = 2);\nnamespace linalg {\nVar norm(In x, double order);\n}\n");
  CHECK(signatures.of("pool") == "pool(x, kernel, {stride = {}, p = 2, eps = 1e-6, mode = min})");
  CHECK(signatures.of("max_pool") == "max_pool(x, {ceil = false})");
  CHECK(signatures.of("cat") == "cat(tensors)");
  CHECK(signatures.of("Layer") == "Layer(size, bias)");
  CHECK(signatures.of("norm") == "norm(x, p = 2)");
  CHECK(signatures.of("linalg.norm") == "linalg::norm(x, order)");
  CHECK(signatures.of("absent") == "absent");
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
      reference_markdown({{.name = "abs", .formula = "y = |x|", .gradient = "dy·sign(x)"}},
                         Signatures("Var abs(In x);"));
  CHECK_THAT(table, ContainsSubstring("| `abs(x)` | y = \\|x\\| | dy·sign(x) | 1 |"));
}
