#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace glass {

// Data is drawn and shuffled with these alone: the raw numbers of std::mt19937_64 are fixed by the
// C++ standard, those of its distributions are not, and data must be the same everywhere.

/// One of 0 … n-1, each exactly as likely. n must not be 0.
inline uint64_t draw_below(std::mt19937_64& random, uint64_t n) {
  const uint64_t surplus = (0 - n) % n;  // 2^64 mod n numbers would favour the first ones
  uint64_t draw = random();
  while (draw < surplus) draw = random();
  return draw % n;
}

/// Fisher and Yates: every order exactly as likely.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[draw_below(random, left)]);
  }
}

/// Spreads every bit of x over all 64 (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
inline uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}

}  // namespace glass
