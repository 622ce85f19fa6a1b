#include "tensor/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tensor/error.h"

namespace glass {
namespace {

constexpr const char* kWrite = "write_file";
constexpr size_t kMost = size_t{1} << 30;  // Linux moves at most 2^31 - 4096 bytes per call

[[noreturn]] void fail_system(std::string_view op, std::string_view relation,
                              const std::string& path, int error) {
  fail_environment(op, relation, path, " (", std::generic_category().message(error), ")");
}

// A file descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  int close() { return ::close(release()); }

 private:
  int descriptor_;
};

int open_file(const std::string& path, int flags, mode_t mode = 0) {
  // A name with a zero byte inside would silently open another file.
  if (path.find('\0') != std::string::npos) {
    errno = EINVAL;
    return -1;
  }
  int descriptor;
  do descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// Bytes read: fewer than wanted only at the end of the file; -1 on error.
ssize_t read_fully(int descriptor, char* target, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::read(descriptor, target + done, std::min(bytes - done, kMost));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

bool write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMost));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// A new file beside target, removed unless it takes over target's name. path: what errors name.
class Temporary {
 public:
  Temporary(const std::string& target, const std::string& path)
      : name_(text(target, kTemporaryMark, ::getpid(), "-", number_++)),
        file_(open_file(name_, O_WRONLY | O_CREAT | O_EXCL, 0666)) {
    if (!file_.open()) fail_system(kWrite, "cannot create a file in the folder of", path, errno);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  const std::string& name() const { return name_; }
  Descriptor& file() { return file_; }
  void keep() { name_.clear(); }

 private:
  static inline std::atomic<unsigned> number_{0};
  std::string name_;
  Descriptor file_;
};

// The permissions of the file that is to be replaced; nothing where there is none.
std::optional<mode_t> replaced_mode(const std::string& target, const std::string& path) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) return {};
  if (!S_ISREG(old.st_mode)) fail_environment(kWrite, "only a regular file can be replaced", path);
  return old.st_mode & 07777;
}

std::string follow_links(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(path, ignored)) return path;
  std::error_code error;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

// Without this the new name may be lost with the power, although the bytes are on the disk. A
// folder that may not be opened, or a file system that cannot do it, is no failure of the write.
void sync_folder_of(const std::string& target, const std::string& path) {
  std::string folder = std::filesystem::path(target).parent_path().string();
  const Descriptor handle(open_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
  if (handle.open() && ::fsync(handle.get()) != 0 && errno == EIO)
    fail_system(kWrite, "cannot write the folder to disk", path, EIO);
}

}  // namespace

InputFile::InputFile(std::string op, std::string path)
    : op_(std::move(op)), path_(std::move(path)) {
  // O_NONBLOCK: a named pipe without a writer must not hang.
  Descriptor file(open_file(path_, O_RDONLY | O_NONBLOCK));
  struct stat info {};
  if (!file.open() || ::fstat(file.get(), &info) != 0)
    fail_system(op_, "cannot open the file", path_, errno);
  if (S_ISDIR(info.st_mode)) fail_system(op_, "cannot read the file", path_, EISDIR);
  if (!S_ISREG(info.st_mode)) fail_environment(op_, "not a regular file", path_);
  size_ = info.st_size;
  descriptor_ = file.release();
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(int64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t n = ::pread(descriptor_, target.data(), std::min(target.size(), kMost), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_system(op_, "cannot read the file", path_, errno);
    if (n == 0)
      fail_environment(op_, "the file ends too early", path_, " after ", offset, " bytes");
    offset += n;
    target = target.subspan(static_cast<size_t>(n));
  }
}

std::string read_file(const std::string& path) {
  const Descriptor file(open_file(path, O_RDONLY));
  struct stat info {};
  if (!file.open() || ::fstat(file.get(), &info) != 0)
    fail_system("read_file", "cannot open the file", path, errno);
  std::string content;
  try {
    // One byte more than the size shows the end at once; pipes and /proc have size 0.
    size_t chunk = std::max<size_t>(static_cast<size_t>(info.st_size) + 1, 4096);
    for (;;) {
      const size_t have = content.size();
      content.resize(have + chunk);
      const ssize_t n = read_fully(file.get(), content.data() + have, chunk);
      if (n < 0) fail_system("read_file", "cannot read the file", path, errno);
      content.resize(have + static_cast<size_t>(n));
      if (static_cast<size_t>(n) < chunk) return content;
      chunk = std::max<size_t>(content.size(), 65536);
    }
  } catch (const std::bad_alloc&) {
    fail_environment("read_file", "too large for memory", path);
  } catch (const std::length_error&) {
    fail_environment("read_file", "too large for memory", path);
  }
}

void check_writable(const std::string& path) {
  const std::string target = follow_links(path);
  replaced_mode(target, path);
  const Temporary temporary(target, path);
}

void write_file_atomically(const std::string& path, std::span<const std::string_view> parts) {
  const std::string target = follow_links(path);
  const std::optional<mode_t> mode = replaced_mode(target, path);
  Temporary temporary(target, path);
  Descriptor& file = temporary.file();
  if (mode && ::fchmod(file.get(), *mode) != 0)
    fail_system(kWrite, "cannot set the permissions of", path, errno);
  for (std::string_view part : parts)
    if (!write_fully(file.get(), part)) fail_system(kWrite, "cannot write the file", path, errno);
  if (::fsync(file.get()) != 0) fail_system(kWrite, "cannot write the file to disk", path, errno);
  if (file.close() != 0) fail_system(kWrite, "cannot close the file", path, errno);
  if (::rename(temporary.name().c_str(), target.c_str()) != 0)
    fail_system(kWrite, "cannot replace the file", path, errno);
  temporary.keep();
  sync_folder_of(target, path);
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path, std::span(&content, 1));
}

}  // namespace glass
