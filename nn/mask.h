#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

/// Which keys may be attended to: true = may. A type of its own, because a bare bool tensor does
/// not say which of its two values hides. A mask may hide keys from every query (padding), and
/// pairs of a query and a key (the future); what is combined with & hides what either hides.
class Mask {
 public:
  Mask() = default;  ///< all may

  /// Row b may attend to keys 0 … lengths[b] - 1 of max_length: [B, S].
  /// Throws Error when a length is not in 0 … max_length.
  static Mask from_lengths(const std::vector<int64_t>& lengths, int64_t max_length);
  /// allowed [B, S], bool: true = the key may be attended to by every query of its row.
  static Mask where_true_may_attend(const Tensor& allowed);
  /// allowed [T, S], [B, T, S] or [B, H, T, S], bool: true = the query may attend to the key.
  static Mask where_true_query_may_attend(const Tensor& allowed);
  /// Query i of T may attend to keys 0 … i + S - T: both end at the same time, so that the last
  /// query, and one query over a cache, sees everything.
  static Mask causal(int64_t T, int64_t S);

  bool all() const { return !keys_.defined() && !pairs_.defined(); }
  /// [B, S] bool, true = may; undefined when no key is hidden from all.
  const Tensor& keys() const { return keys_; }
  /// [T, S], [B, T, S] or [B, H, T, S]; undefined when no pair is hidden.
  const Tensor& pairs() const { return pairs_; }
  /// What is allowed, in a shape that broadcasts to scores [B, S], [B, T, S] or [B, H, T, S];
  /// undefined when all is. Throws Error when the mask does not fit.
  Tensor for_scores(const Shape& scores) const;

  /// The mask of these rows of the batch (int64), in their order.
  Mask rows(const Tensor& index) const;
  /// The mask of the queries first … first + count - 1 alone.
  Mask queries(int64_t first, int64_t count) const;

  /// What both allow.
  friend Mask operator&(const Mask& a, const Mask& b);

 private:
  Tensor keys_, pairs_;
};

/// softmax over the last dim [B, ..., S] among the keys that the mask allows; a row without any is
/// 0.
Var masked_softmax(In scores, const Mask& mask);

}  // namespace glass
