#include "models/text/batches.h"

#include <algorithm>
#include <numeric>

#include "models/text/draws.h"
#include "tensor/error.h"

namespace glass {
namespace {

void check_batch_size(int64_t batch_size) {
  if (batch_size < 1) fail("Batches", "batch_size must be at least 1", batch_size);
}

std::vector<int64_t> all_rows(size_t count) {
  std::vector<int64_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Consecutive pieces of `size` rows; the last may be shorter.
std::vector<Batch> cut(const std::vector<int64_t>& rows, int64_t size) {
  std::vector<Batch> batches;
  for (auto from = rows.begin(); from != rows.end();) {
    const auto to = from + std::min<int64_t>(size, rows.end() - from);
    batches.push_back({{from, to}});
    from = to;
  }
  return batches;
}

}  // namespace

Batches::Batches(const std::vector<int64_t>& sources, const std::vector<int64_t>& targets,
                 BatchOptions options)
    : options_(options) {
  check_batch_size(options.batch_size);
  if (sources.size() != targets.size()) {
    fail("Batches", "sources and targets differ in number", sources.size(), " and ",
         targets.size());
  }
  if (sources.empty()) fail("Batches", "there are no sentences");
  lengths_.reserve(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    lengths_.push_back({sources[i], targets[i]});
  }
  current_ = epoch(0);
}

int64_t Batches::per_epoch() const {
  const auto rows = static_cast<int64_t>(lengths_.size());
  return rows / options_.batch_size + (rows % options_.batch_size != 0 ? 1 : 0);
}

std::vector<Batch> Batches::epoch(int64_t epoch) const {
  if (epoch < 0) fail("Batches", "epoch must be at least 0", epoch);
  std::mt19937_64 random(mix64(options_.seed ^ mix64(static_cast<uint64_t>(epoch))));
  std::vector<int64_t> rows = all_rows(lengths_.size());
  shuffle(rows, random);
  const int64_t size = std::min(options_.batch_size, static_cast<int64_t>(rows.size()));
  for (auto from = rows.begin(); from != rows.end();) {
    const auto to = from + std::min<int64_t>(size * kPoolBatches, rows.end() - from);
    std::stable_sort(from, to, [&](int64_t a, int64_t b) {
      return lengths_[static_cast<size_t>(a)] < lengths_[static_cast<size_t>(b)];
    });
    from = to;
  }
  std::vector<Batch> batches = cut(rows, size);
  shuffle(batches, random);
  return batches;
}

Batch Batches::next() {
  Batch batch = current_[static_cast<size_t>(position_.index)];
  if (++position_.index == per_epoch()) {
    position_ = {position_.epoch + 1, 0};
    current_ = epoch(position_.epoch);
  }
  return batch;
}

void Batches::seek(BatchPosition position) {
  if (position.epoch < 0 || position.index < 0 || position.index >= per_epoch()) {
    fail("Batches::seek", "no such position", "epoch ", position.epoch, ", index ", position.index,
         " (an epoch has ", per_epoch(), " batches)");
  }
  if (position.epoch != position_.epoch) current_ = epoch(position.epoch);
  position_ = position;
}

std::vector<Batch> sorted_batches(const std::vector<int64_t>& sources, int64_t batch_size,
                                  int64_t most_tokens) {
  check_batch_size(batch_size);
  std::vector<int64_t> rows = all_rows(sources.size());
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
    return sources[static_cast<size_t>(a)] > sources[static_cast<size_t>(b)];
  });
  std::vector<Batch> batches;
  int64_t fit = 0;  // rows, into the last batch
  for (int64_t row : rows) {
    if (batches.empty() || static_cast<int64_t>(batches.back().rows.size()) == fit) {
      const int64_t longest = sources[static_cast<size_t>(row)];
      fit = std::clamp<int64_t>(most_tokens / std::max<int64_t>(1, longest), 1, batch_size);
      batches.emplace_back();
    }
    batches.back().rows.push_back(row);
  }
  return batches;
}

}  // namespace glass
