#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace glass::tests {

/// The path of a file in the folder GLASS_DATA names; nothing where either is absent.
inline std::optional<std::string> data_file(const std::string& relative) {
  const char* folder = std::getenv("GLASS_DATA");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / relative;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

/// A file with these bytes in the folder for temporary files, removed at the end of the scope.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes);
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace glass::tests
