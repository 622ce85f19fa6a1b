#include "tests/ground/files.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fs = std::filesystem;

namespace glass::tests {

fs::path source_root() { return GLASS_SOURCE_DIR; }

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> source_files(const std::vector<std::string>& folders) {
  const std::vector<std::string> kinds = {".h", ".cpp", ".cu", ".cuh"};
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::exists(source_root() / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_root() / folder)) {
      const std::string kind = entry.path().extension().string();
      if (entry.is_regular_file() && std::count(kinds.begin(), kinds.end(), kind) > 0) {
        found.push_back(entry.path());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Outcome run(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start: " + command);
  Outcome outcome;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
    outcome.output.append(buffer, count);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string quoted(const std::string& text) {
  std::string word = "'";
  for (char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

}  // namespace glass::tests
