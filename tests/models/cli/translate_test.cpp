// Translating with a trained run as a user does.
#include <algorithm>
#include <filesystem>

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

TEST_CASE("a text that would not fit in memory is refused, and named", "[cli]") {
  const tests::TrainedRun trained;
  const std::string huge(10001, '7');
  tests::Output output = trained.translate({}, "7\n" + huge + "\n14\n");
  CHECK(output.status == 1);
  CHECK(std::count(output.out.begin(), output.out.end(), '\n') == 3);
  CHECK_THAT(output.err, ContainsSubstring("text 2: translate: a source is too long; divide it or "
                                           "leave it out: 10001 tokens, at most 10000: 777"));
  const tests::Scratch folder;
  for (const std::string& line : {huge + "\t1\n", "1\t" + huge + "\n"}) {
    write_file_atomically(folder / "data.tsv", tests::lines(200) + line);
    output = tests::train(folder / "data.tsv", folder / "run");
    CHECK(output.status == 1);
    CHECK_THAT(output.err, ContainsSubstring("train: a ") &&
                               ContainsSubstring("is too long; divide it or leave it out"));
  }
  for (const Words& words : {Words{"eval", "--data", folder / "data.tsv"},
                             Words{"attend", "--target", huge, "1"}, Words{"attend", huge}}) {
    Words command = words;
    command.insert(command.begin() + 1, {"--run", trained.run});
    output = tests::program(command);
    CHECK(output.status == 1);
    CHECK_THAT(output.err, ContainsSubstring("is too long; divide it or leave it out"));
  }
}

TEST_CASE("a source longer than location scores know is refused, the others are answered",
          "[cli]") {
  const tests::Scratch folder;
  const std::string run = folder / "run";
  write_file_atomically(folder / "data.tsv", tests::lines(200));  // sources of 1 to 4 digits
  const Words words = {
      "train", "--data",  folder / "data.tsv", "--run",   run, "--embedding",     "3", "--hidden",
      "3",     "--score", "location",          "--steps", "2", "--attention-size"};
  const auto with = [&](const char* size) {
    Words all = words;
    all.push_back(size);
    return tests::program(all);
  };
  const tests::Output refused = with("3");
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err,
             ContainsSubstring("a source has more places than location scores know: 4, at "
                               "most 3 (--attention-size in training): 1001"));
  CHECK_FALSE(std::filesystem::exists(run));
  REQUIRE(with("4").status == 0);
  const tests::Output output = tests::program({"translate", "--run", run}, "7\n12345\n14\n");
  CHECK(output.status == 1);
  CHECK(std::count(output.out.begin(), output.out.end(), '\n') == 3);
  CHECK_THAT(output.err,
             ContainsSubstring("glass: not translated, text 2: ") &&
                 ContainsSubstring("5, at most 4 (--attention-size in training): 12345"));
  const std::string alone = tests::program({"translate", "--run", run, "14"}).out;
  CHECK(output.out.substr(output.out.size() - alone.size()) == alone);
  for (const Words& command :
       {Words{"attend", "--run", run, "12345"},
        Words{"translate", "--run", run, "--svg", folder / "a.svg", "12345"}})
    CHECK(tests::program(command).status == 1);
  write_file_atomically(folder / "more.tsv", "1\t2\n12345\t4\n");
  CHECK_THAT(tests::program({"eval", "--run", run, "--data", folder / "more.tsv"}).err,
             ContainsSubstring("12345"));
}

TEST_CASE("many lines are answered in their order, and what the model does not know is said",
          "[cli]") {
  const tests::TrainedRun trained;
  std::string input;
  for (int i = 0; i < 600; ++i) input += std::to_string(i % 7) + (i % 50 ? "\n" : "123\n");
  const tests::Output all = trained.translate({"-"}, input);
  CHECK(all.status == 0);
  CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 600);
  CHECK(all.out == trained.translate({}, input).out);
  for (const int i : {0, 1, 511, 512, 599}) {  // across the border of a group
    size_t begin = 0;
    for (int k = 0; k < i; ++k) begin = all.out.find('\n', begin) + 1;
    const std::string line = all.out.substr(begin, all.out.find('\n', begin) + 1 - begin);
    CHECK(line == trained.translate({std::to_string(i % 7) + (i % 50 ? "" : "123")}).out);
  }
  CHECK_THAT(trained.translate({}, "7\nabc\n7x\n").err,
             ContainsSubstring("warning: texts: with tokens that the model does not know, read as "
                               "<unk>: 2 lines (2, 3)\n"));
  const tests::Output inside = trained.translate({}, "7\n1\r2\n14\n");
  CHECK(inside.status == 1);
  CHECK(std::count(inside.out.begin(), inside.out.end(), '\n') == 3);
  CHECK_THAT(inside.err, ContainsSubstring("not translated, text 2: ") &&
                             ContainsSubstring("a carriage return inside"));
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
