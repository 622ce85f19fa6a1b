#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"

using namespace glass::tests;

namespace {

// Each release of clang-format lays some lines out in its own way; the sources keep this one's.
const std::string kVersion = "14.";

std::string find_clang_format() {
  for (const char* name : {"clang-format-14", "clang-format"}) {
    const Outcome asked = run(std::string(name) + " --version");
    if (asked.status == 0 && asked.output.find("version " + kVersion) != std::string::npos) {
      return name;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("every source is laid out as clang-format lays it out", "[ground]") {
  const std::string tool = find_clang_format();
  if (tool.empty()) return skip("clang-format " + kVersion + "x is absent");
  std::string command = tool + " --style=file --dry-run -Werror";
  for (const auto& path : all_source_files()) command += " " + quoted(path.string());
  const Outcome outcome = run(command);
  INFO(outcome.output.substr(0, 4000));
  CHECK(outcome.status == 0);
}

TEST_CASE("the layout check sees a planted badly laid out file", "[ground]") {
  const std::string tool = find_clang_format();
  if (tool.empty()) return skip("clang-format " + kVersion + "x is absent");
  const std::string check = " | " + tool + " --style=file --dry-run -Werror --assume-filename=" +
                            quoted((source_root() / "tensor" / "planted.cpp").string());
  CHECK(run("echo 'int f() { return 1; }'" + check).status == 0);
  CHECK(run("echo 'int f( ) {return 1;}'" + check).status != 0);
}
