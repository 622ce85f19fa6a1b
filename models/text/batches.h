#pragma once

#include <cstdint>
#include <vector>

namespace glass {

template <class T>
std::vector<int64_t> sizes_of(const std::vector<T>& items) {
  std::vector<int64_t> sizes;
  for (const T& item : items) sizes.push_back(static_cast<int64_t>(item.size()));
  return sizes;
}

/// The sentences of one step, as indices into the data.
struct Batch {
  std::vector<int64_t> rows;
};

struct BatchOptions {
  int64_t batch_size = 64;  ///< sentences; the last batch of an epoch may have fewer
  uint64_t seed = 1;
};

/// Where in the stream of batches we are: the next one is number `index` of epoch `epoch`.
struct BatchPosition {
  int64_t epoch = 0, index = 0;
  bool operator==(const BatchPosition&) const = default;
};

/// An endless stream of batches whose sources have about the same length, so that little is padded.
/// Each epoch holds every sentence once: all are shuffled, cut into pools of kPoolBatches batches,
/// each pool is sorted by length (source, then target) and cut into batches, and the batches are
/// shuffled. An epoch depends on lengths, options and its number only, so seek() resumes exactly.
class Batches {
 public:
  static constexpr int64_t kPoolBatches = 50;

  /// Sources and targets count by their size(). Throws when the two differ in number or are empty,
  /// or when batch_size is less than 1.
  template <class S, class T>
  Batches(const std::vector<S>& sources, const std::vector<T>& targets, BatchOptions options = {})
      : Batches(sizes_of(sources), sizes_of(targets), options) {}
  Batches(const std::vector<int64_t>& source_lengths, const std::vector<int64_t>& target_lengths,
          BatchOptions options = {});

  int64_t per_epoch() const;
  /// The batches of an epoch, in order. Throws for a negative number.
  std::vector<Batch> epoch(int64_t epoch) const;

  /// The batch at position(), which then moves on, over the end of the epoch into the next one.
  Batch next();
  BatchPosition position() const { return position_; }
  /// Throws unless epoch >= 0 and 0 <= index < per_epoch().
  void seek(BatchPosition position);

 private:
  struct Lengths {
    int64_t source, target;
    auto operator<=>(const Lengths&) const = default;
  };

  std::vector<Lengths> lengths_;
  BatchOptions options_;
  BatchPosition position_;
  std::vector<Batch> current_;  // invariant: epoch(position_.epoch)
};

/// Every row once, longest source first (what does not fit in memory fails at once), rows of equal
/// length in their order: for validation and translation. A batch of more than one row has at most
/// most_tokens source tokens, padding counted. Throws when batch_size is less than 1.
std::vector<Batch> sorted_batches(const std::vector<int64_t>& source_lengths, int64_t batch_size,
                                  int64_t most_tokens = INT64_MAX);
template <class S>
std::vector<Batch> sorted_batches(const std::vector<S>& sources, int64_t batch_size,
                                  int64_t most_tokens = INT64_MAX) {
  return sorted_batches(sizes_of(sources), batch_size, most_tokens);
}

}  // namespace glass
