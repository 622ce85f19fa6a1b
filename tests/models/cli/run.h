#pragma once

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/cli/program.h"
#include "tests/tensor/scratch.h"

namespace glass::tests {

/// Lines of a number and its last digit.
inline std::string lines(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i)
    text += std::to_string(i * 7) + "\t" + std::to_string(i * 7 % 10) + "\n";
  return text;
}

/// Trains a model of a few numbers.
inline Output train(const std::string& data, const std::string& run,
                    const std::vector<std::string>& more = {}, const std::string& steps = "2") {
  std::vector<std::string> words = {
      "train", "--data",           data, "--run",   run, "--embedding", "3",  "--hidden",
      "3",     "--attention-size", "3",  "--batch", "4", "--steps",     steps};
  words.insert(words.end(), more.begin(), more.end());
  return program(words);
}

struct TrainedRun {
  Scratch folder;
  std::string run = folder / "run", config = run + "/config.json";
  TrainedRun() {
    write_file_atomically(folder / "data.tsv", lines(200));
    const Output output = train(folder / "data.tsv", run);
    INFO(output.err);
    REQUIRE(output.status == 0);
  }
  Output translate(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), {"translate", "--run", run});
    return program(words, input);
  }
  Output resume() const { return program({"train", "--run", run, "--resume"}); }
};

}  // namespace glass::tests
