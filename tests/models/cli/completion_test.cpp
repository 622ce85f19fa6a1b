// The script of `glass completion bash`, run by bash.
#include <cstdlib>

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/cli/program.h"
#include "tests/skip.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

// What bash offers for a command line whose last word is being written, separated by blanks.
std::string offered(const tests::Scratch& folder, const Words& line) {
  std::string words;
  for (const std::string& word : line) words += " '" + word + "'";
  write_file_atomically(folder / "ask",
                        "source " + (folder / "glass.bash") + "\nCOMP_WORDS=(" + words +
                            ")\nCOMP_CWORD=" + std::to_string(line.size() - 1) +
                            "\n_glass\necho \"${COMPREPLY[*]}\" >" + (folder / "answer") + "\n");
  CHECK(std::system(("bash " + (folder / "ask")).c_str()) == 0);
  const std::string answer = read_file(folder / "answer");
  return answer.substr(0, answer.find('\n'));
}

}  // namespace

TEST_CASE("bash completes commands, options and choices as the program has them", "[cli]") {
  if (std::system("bash -c true >/dev/null 2>&1") != 0) return tests::skip("there is no bash");
  const tests::Scratch folder;
  const tests::Output printed = tests::program({"completion", "bash"});
  REQUIRE(printed.status == 0);
  write_file_atomically(folder / "glass.bash", printed.out);
  const auto complete = [&](const Words& line) { return offered(folder, line); };
  CHECK(complete({"glass", "tra"}) == "train translate");
  CHECK(complete({"glass", "help", "at"}) == "attend");
  CHECK(complete({"glass", "--v"}) == "--version");
  CHECK(complete({"glass", "train", "--sco"}) == "--score --scope");
  CHECK(complete({"glass", "eval", "--sp"}) == "--split");
  CHECK(complete({"glass", "eval", "--split", ""}) == "test valid");
  CHECK(complete({"glass", "train", "--run", "x", "--schedule", "co"}) == "constant cosine");
  CHECK(complete({"glass", "train", "--schedule", "=", "li"}) == "linear");
  CHECK(complete({"glass", "train", "--model", "="}) == "seq2seq transformer classifier");
  CHECK(complete({"glass", "train", "--task", "to"}) == "toy-mt");
  CHECK(complete({"glass", "train", "--steps", ""}).empty());  // a number
  CHECK(complete({"glass", "train", "--one-way", "x"}).empty());
  CHECK(complete({"glass", "completion", ""}) == "bash");
  CHECK(complete({"glass", "nonsense", "--x"}).empty());
  CHECK(complete({"glass", "gradcheck", "log_s"}) == "log_softmax");
  CHECK(complete({"glass", "gradcheck", "tanh", "LSTM"}) == "LSTM LSTMCell");
  CHECK(complete({"glass", "score", "--metric", "chr"}) == "chrf chrf++");
  CHECK(complete({"glass", "score", "--metric", "bleu,rouge,ci"}) ==
        "bleu,rouge,cider bleu,rouge,cider-plain");
  CHECK(complete({"glass", "attend", "--run", "x", "--head", ""}) == "mean all");
  CHECK(complete({"glass", "zoo", "--seed", "7", "--check", "a"}) == "activate all");
  CHECK(complete({"glass", "zoo", "--answer", "po"}) == "pool");
  CHECK(complete({"glass", "zoo", "--answer", "pool", "tr"}) == "transposed");
  // The columns of captions are those of the file at hand.
  const std::string data = folder / "data.tsv";
  write_file_atomically(data, "image\tsplit\ten\tzh\r\na.png\ttrain\tone\ttwo\r\n");
  CHECK(complete({"glass", "train", "--data", data, "--captions", ""}) == "en zh");
  CHECK(complete({"glass", "train", "--data", "=", data, "--captions", "=", "en,"}) ==
        "en,en en,zh");
  CHECK(complete({"glass", "train", "--captions", ""}).empty());
  // Every option of the help is offered.
  const std::string help = tests::program({"train", "--help"}).out;
  const std::string all = " " + complete({"glass", "train", "--"}) + " ";
  int options = 0;
  for (size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
    const size_t begin = at + 3, end = help.find_first_of(" \n", begin);
    CHECK_THAT(all, ContainsSubstring(" " + help.substr(begin, end - begin) + " "));
    ++options;
  }
  CHECK(options > 50);
}

TEST_CASE("completion knows the shells it can serve", "[cli]") {
  CHECK(tests::program({"completion"}).status == 2);
  CHECK_THAT(tests::program({"completion", "fish"}).err,
             ContainsSubstring("shell: must be bash, got fish"));
}
