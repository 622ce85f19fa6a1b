// The test program's own closing line, tried on planted tests that only run when asked for by tag.

#include <cstdlib>

#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"

using namespace glass::tests;

TEST_CASE("planted: passes", "[.][planted]") { CHECK(true); }
TEST_CASE("planted: passes twice", "[.][planted]") {
  SECTION("once") { CHECK(true); }
  SECTION("twice") { CHECK(true); }
}
TEST_CASE("planted: fails", "[.][planted]") { CHECK(false); }
TEST_CASE("planted: is skipped", "[.][planted]") { return skip("it is planted"); }
TEST_CASE("planted: fails and is skipped", "[.][planted]") {
  skip("it is planted");
  FAIL("it fails as well");
}
TEST_CASE("planted: crashes", "[.][planted-crash]") { std::abort(); }

namespace {

Outcome run_tests(const std::string& arguments) {
  return run("exec " + quoted(std::filesystem::read_symlink("/proc/self/exe").string()) + " " +
             arguments);
}

std::string last_line(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

TEST_CASE("the closing line counts test cases", "[ground]") {
  const Outcome outcome = run_tests("'[planted]'");
  INFO(outcome.output);
  CHECK(last_line(outcome.output) == "2 passed, 2 failed, 1 skipped");
  CHECK(outcome.status != 0);
  CHECK_THAT(outcome.output,
             Catch::Matchers::ContainsSubstring("skipped: planted: is skipped: it is planted"));
  CHECK(last_line(run_tests("'planted: passes*'").output) == "2 passed, 0 failed, 0 skipped");
}

TEST_CASE("the closing line is written after a crash too", "[ground]") {
  const Outcome outcome = run_tests("'[planted-crash]'");
  INFO(outcome.output);
  CHECK(last_line(outcome.output) == "0 passed, 1 failed, 0 skipped");
  CHECK(outcome.status != 0);
}
