#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// Which keys may be attended to: true = may. A type of its own, because a bare bool tensor does
/// not say which of its two values hides.
class Mask {
 public:
  Mask() = default;  ///< all may

  /// Row b may attend to keys 0 … lengths[b] - 1 of max_length: [B, S].
  /// Throws Error when a length is not in 0 … max_length.
  static Mask from_lengths(const std::vector<int64_t>& lengths, int64_t max_length);
  /// allowed [B, S], bool: true = may be attended to.
  static Mask where_true_may_attend(const Tensor& allowed);

  bool all() const { return !allowed_.defined(); }
  /// [B, S] bool, true = may; undefined when all may.
  const Tensor& allowed() const { return allowed_; }

  /// What both allow.
  friend Mask operator&(const Mask& a, const Mask& b);

 private:
  explicit Mask(Tensor allowed) : allowed_(std::move(allowed)) {}
  Tensor allowed_;
};

}  // namespace glass
