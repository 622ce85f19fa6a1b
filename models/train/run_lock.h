#pragma once

#include <string>

namespace glass {

/// While alive, no other training writes into the folder: a lock (flock) on the file .lock in it.
/// The lock ends with the process, however that ends; the file stays. Where the file system knows
/// no locks, nothing is locked.
class RunLock {
 public:
  static constexpr const char* kFile = ".lock";

  /// Throws Error (environment) when another training holds the lock, or the folder cannot be
  /// written.
  explicit RunLock(const std::string& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace glass
