#pragma once

#include <algorithm>
#include <map>

#include "models/diagnosis/rule.h"

namespace glass {

/// Looks from the last one back that must agree before a lasting trouble is one.
inline constexpr size_t kLasting = 3;

/// From here on attention should have formed: twice the warm-up, and a quarter of the steps.
inline int64_t settled_step(const TrainingRecord& record) {
  return std::max(2 * record.warmup, record.steps / 4);
}

/// The least of the last kLasting looks from first_step on, place by place; none where there are
/// fewer looks. read(facts) returns a look's readings.
template <class Read>
std::vector<Reading> lasting(const TrainingRecord& record, int64_t first_step, Read read) {
  if (record.looks.size() < kLasting) return {};
  std::map<std::string, Reading> least;
  std::map<std::string, size_t> times;
  for (auto facts = record.looks.end() - kLasting; facts != record.looks.end(); ++facts) {
    if (facts->step < first_step) return {};
    for (const Reading& reading : read(*facts)) {
      const auto [place, fresh] = least.try_emplace(reading.where, reading);
      if (!fresh && reading.value < place->second.value) place->second = reading;
      ++times[reading.where];
    }
  }
  std::vector<Reading> readings;
  for (const auto& [where, reading] : least)
    if (times[where] == kLasting) readings.push_back(reading);
  return readings;
}

}  // namespace glass
