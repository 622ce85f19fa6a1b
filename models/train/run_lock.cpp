#include "models/train/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tensor/error.h"

namespace glass {

RunLock::RunLock(const std::string& folder)
    : descriptor_(::open((folder + "/" + kFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0)
    fail_environment("run folder", "cannot be written", folder, " (", std::strerror(errno), ")");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  fail_environment("run folder", "another training is writing into it", folder,
                   "; wait until it ends, or choose another --run");
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace glass
