#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glass::tests {

/// The folder that holds this checkout of Glass.
std::filesystem::path source_root();

/// The whole text of a file; throws std::runtime_error where it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// Every C++ and CUDA file below the named folders of the checkout, sorted.
std::vector<std::filesystem::path> source_files(const std::vector<std::string>& folders);

/// Every file that the house style speaks about.
inline std::vector<std::filesystem::path> all_source_files() {
  return source_files({"tensor", "autograd", "nn", "optim", "models", "tests", "bench", "docs"});
}

struct Outcome {
  int status = 0;      ///< exit status; 128 + N where signal N ended the command
  std::string output;  ///< standard output and standard error, as they came
};

/// Runs a command line of the shell.
Outcome run(const std::string& command);

/// The text as one word of the shell.
std::string quoted(const std::string& text);

}  // namespace glass::tests
