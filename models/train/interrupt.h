#pragma once

namespace glass {

/// While alive, Ctrl-C (SIGINT) and SIGTERM only set a flag, so that a loop can finish its step and
/// save. A second Ctrl-C ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace glass
