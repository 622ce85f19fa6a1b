#pragma once

#include <functional>
#include <utility>

#include "autograd/var.h"

namespace glass {

/// While alive, every result of a recorded op on this thread is shown: the node that recorded it,
/// the number of the output, the value. The innermost one sees it.
class WatchTape {
 public:
  using Seen = std::function<void(const NodePtr&, uint32_t, const Tensor&)>;
  explicit WatchTape(Seen seen) : seen_(std::move(seen)), outer_(std::exchange(current_, this)) {}
  ~WatchTape() { current_ = outer_; }
  WatchTape(const WatchTape&) = delete;
  WatchTape& operator=(const WatchTape&) = delete;

  static const WatchTape* current() { return current_; }
  void show(const NodePtr& node, uint32_t output, const Tensor& value) const {
    if (node) seen_(node, output, value);
  }

 private:
  static thread_local const WatchTape* current_;
  DetectAnomaly on_;  // results are looked at in anomaly mode only
  Seen seen_;
  const WatchTape* outer_;
};

}  // namespace glass
