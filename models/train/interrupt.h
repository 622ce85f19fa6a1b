#pragma once

#include <stdexcept>
#include <string>

namespace glass {

/// A clean stop because of Ctrl-C (SIGINT) or SIGTERM; what() says how to go on.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& message);
  int status() const { return status_; }  ///< of the program: 128 + the signal's number

 private:
  int status_;
};

/// While alive, Ctrl-C and SIGTERM only set a flag, so that a loop can finish its step and save. A
/// second Ctrl-C ends the program at once. Guards nest: the outermost one counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
  /// Throws Interrupted with this message if interrupted.
  static void check(const std::string& message);
};

}  // namespace glass
