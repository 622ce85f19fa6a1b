// Translating with a trained run as a user does.
#include <algorithm>

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/cli/run.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

TEST_CASE("a blank line has the empty answer, in its place", "[cli]") {
  const tests::TrainedRun trained;
  tests::Output output = trained.translate({}, "7\n\n \t\n14\n");
  CHECK(output.status == 0);
  CHECK(std::count(output.out.begin(), output.out.end(), '\n') == 4);
  const size_t first = output.out.find('\n');
  CHECK(output.out.substr(first, 3) == "\n\n\n");
  CHECK(trained.translate({"--attention", ""}).out == "\n");
  output = trained.translate({"--svg", trained.folder / "map.svg", " "});
  CHECK(output.status == 1);
  CHECK_THAT(output.err, ContainsSubstring("--svg has nothing to draw"));
}

TEST_CASE("control characters of a text reach neither terminal nor picture", "[cli]") {
  const tests::TrainedRun trained;
  const std::string text = "7\x1b[31m\x07\u009b1\x7f", svg = trained.folder / "map.svg";
  for (const Words& words : {Words{text}, Words{"--attention", text}, Words{"--svg", svg, text}}) {
    const tests::Output output = trained.translate(words);
    CHECK(output.status == 0);
    const std::string all = output.out + output.err;
    for (const char* raw : {"\x1b", "\x07", "\u009b", "\x7f"})
      CHECK(all.find(raw) == std::string::npos);
  }
  const std::string picture = read_file(svg);
  CHECK(picture.find('\x1b') == std::string::npos);
  CHECK_THAT(picture, ContainsSubstring("7\uFFFD[31m\uFFFD\uFFFD1\uFFFD"));
}

TEST_CASE("bad UTF-8 is replaced as in a file of pairs, with a warning", "[cli]") {
  const tests::TrainedRun trained;
  const std::string svg = trained.folder / "map.svg";
  tests::Output output = trained.translate({}, "7\n1\xC3\xFF\n14\n\xE4\n");
  CHECK(output.status == 0);
  CHECK(output.out == trained.translate({}, "7\n1\uFFFD\uFFFD\n14\n\uFFFD\n").out);
  CHECK_THAT(output.err,
             ContainsSubstring("warning: texts: bad UTF-8, replaced by U+FFFD: 2 lines (2, 4)\n"));
  CHECK(trained.translate({"7"}).err.find("warning") == std::string::npos);
  REQUIRE(trained.translate({"--svg", svg, "7\xFF"}).status == 0);
  CHECK_THAT(read_file(svg), ContainsSubstring("7\uFFFD"));
  output = tests::program({"attend", "--run", trained.run, "--target", "1\xFF", "7\xFF"});
  CHECK(output.status == 0);
  CHECK_THAT(output.err, ContainsSubstring("warning: text: bad UTF-8, replaced by U+FFFD\n") &&
                             ContainsSubstring("warning: --target: bad UTF-8"));
}

TEST_CASE("standard input that cannot be read is an error", "[cli]") {
  const tests::TrainedRun trained;
  const tests::Output output =
      tests::program({"translate", "--run", trained.run}, "", "", trained.run);
  CHECK(output.status == 1);
  CHECK(output.out.empty());
  CHECK(output.err == "glass: translate: standard input cannot be read: Is a directory\n");
}

TEST_CASE("a picture that cannot be written is refused before anything is translated", "[cli]") {
  const tests::TrainedRun trained;
  for (const std::string& path : {trained.folder / "none/map.svg", trained.run}) {
    const tests::Output output = trained.translate({"--svg", path, "7"});
    CHECK(output.status == 1);
    CHECK(output.out.empty());
    CHECK_THAT(output.err, ContainsSubstring(path));
  }
  CHECK(trained.folder.names() == std::vector<std::string>{"data.tsv", "run"});
}
