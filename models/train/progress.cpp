#include "models/train/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace glass {

std::string clock_text(double seconds) {
  const auto s = static_cast<int64_t>(std::max(0.0, std::min(seconds, 3.6e8)));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress::Progress(int64_t first_step, int64_t steps)
    : first_step_(first_step),
      steps_(steps),
      terminal_(isatty(STDERR_FILENO)),
      start_(Clock::now()),
      last_shown_(start_) {}

std::string Progress::line(int64_t step) const {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double done = static_cast<double>(step - first_step_);
  const double left = done > 0 ? elapsed / done * static_cast<double>(steps_ - step) : 0;
  return fmt::format("step {}/{}  loss {:.4f}  lr {:.2e}  {:.0f} tokens/s  {} left", step, steps_,
                     loss_, lr_, elapsed > 0 ? static_cast<double>(tokens_) / elapsed : 0,
                     clock_text(left));
}

void Progress::update(int64_t step, double loss, int64_t tokens, double lr) {
  // A mean over roughly the last 50 steps; the first steps weigh equally.
  const double weight = std::max(0.02, 1.0 / static_cast<double>(step - first_step_));
  loss_ += weight * (loss - loss_);
  lr_ = lr;
  tokens_ += tokens;
  const auto now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_shown_).count();
  if (since < (terminal_ ? 0.1 : 30.0)) return;
  last_shown_ = now;
  if (!terminal_) {
    fmt::print(stderr, "{}\n", line(step));
    return;
  }
  constexpr int kWidth = 24;
  const int filled = steps_ > 0 ? static_cast<int>(kWidth * step / steps_) : kWidth;
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\033[K{} {}", bar, line(step));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace glass
