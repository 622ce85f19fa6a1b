#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glass {

/// A regular file opened for reading at any position. Everything throws Error (environment) with
/// the path and the system's reason; op is the operation that the error names.
class InputFile {
 public:
  InputFile(std::string op, std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// Fills target from the bytes at offset; throws when the file ends before.
  void read(int64_t offset, std::span<std::byte> target) const;

 private:
  std::string op_, path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

/// The bytes of a file. Throws Error (environment) with the path and the system's reason.
std::string read_file(const std::string& path);

/// Stands in the name of a temporary file, behind that of the file it is to replace.
inline constexpr const char* kTemporaryMark = ".tmp-";

/// Replaces the file by the parts one after the other, or leaves it as it was: the bytes go to a
/// temporary file in the same folder, reach the disk, and take over the name in one step. A
/// symbolic link stays a link, an existing file keeps its permissions. On failure the old file is
/// whole, the temporary is gone and an Error (environment) names the path and the system's reason.
void write_file_atomically(const std::string& path, std::span<const std::string_view> parts);
void write_file_atomically(const std::string& path, std::string_view content);

/// Throws what write_file_atomically would throw because of the folder or of what stands there.
void check_writable(const std::string& path);

}  // namespace glass
