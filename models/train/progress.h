#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace glass {

/// Shows how far a training is: a bar that is redrawn on a terminal, a plain line every 30 seconds
/// elsewhere. Writes to standard error.
class Progress {
 public:
  Progress(int64_t first_step, int64_t steps);
  ~Progress() { clear(); }
  /// After a step: its mean loss, tokens and learning rate.
  void update(int64_t step, double loss, int64_t tokens, double lr);
  /// Takes the bar away, so that a line can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(int64_t step) const;

  int64_t first_step_, steps_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_, last_shown_;
  double loss_ = 0;  // running mean
  double lr_ = 0;
  int64_t tokens_ = 0;
};

/// 75 -> "1:15", 3700 -> "1:01:40".
std::string clock_text(double seconds);

}  // namespace glass
