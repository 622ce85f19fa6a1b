#include "tests/models/text/data.h"

#include <fstream>
#include <random>

namespace glass::tests {

TemporaryFile::TemporaryFile(const std::string& name, const std::string& bytes)
    : path_(std::filesystem::temp_directory_path() /
            ("glass-" + std::to_string(std::random_device{}()) + "-" + name)) {
  std::ofstream(path_, std::ios::binary) << bytes;
}

}  // namespace glass::tests
