#include "tests/models/cli/program.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "models/cli/program.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/tensor/scratch.h"

namespace glass::tests {
namespace {

// While alive, a descriptor leads to a file.
class Redirected {
 public:
  Redirected(int descriptor, const std::string& path, int flags)
      : descriptor_(descriptor), before_(dup(descriptor)) {
    const int file = open(path.c_str(), flags, 0600);
    REQUIRE(file >= 0);
    REQUIRE(dup2(file, descriptor_) == descriptor_);
    close(file);
  }
  ~Redirected() {
    dup2(before_, descriptor_);
    close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_, before_;
};

}  // namespace

Output program(const std::vector<std::string>& arguments, const std::string& input,
               const std::string& out_path, const std::string& in_path) {
  const Scratch folder;
  write_file_atomically(folder / "in", input);
  std::vector<std::string> words = {"glass"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  std::fflush(stdout);
  Output result{};
  {
    const int create = O_WRONLY | O_CREAT | O_TRUNC;
    const Redirected in(STDIN_FILENO, in_path.empty() ? folder / "in" : in_path, O_RDONLY);
    const Redirected out(STDOUT_FILENO, out_path.empty() ? folder / "out" : out_path, create);
    const Redirected err(STDERR_FILENO, folder / "err", create);
    result.status = run_program(static_cast<int>(words.size()), argv.data());
    std::fflush(stdout);
    __fpurge(stdout);  // what could not be written
    __fpurge(stdin);
    std::clearerr(stdout);
    std::clearerr(stdin);
    std::cout.clear();
    std::cin.clear();
  }
  if (out_path.empty()) result.out = read_file(folder / "out");
  result.err = read_file(folder / "err");
  return result;
}

}  // namespace glass::tests
