#pragma once

#include <cstdint>
#include <span>

namespace glass::cpu {

// Philox4x32-10: two multipliers, two key increments, ten rounds.
inline constexpr uint32_t kPhiloxMul0 = 0xD2511F53, kPhiloxMul1 = 0xCD9E8D57;
inline constexpr uint32_t kPhiloxKey0 = 0x9E3779B9, kPhiloxKey1 = 0xBB67AE85;
inline constexpr int kPhiloxRounds = 10;

/// One block of four words, in place.
[[gnu::always_inline]] inline void philox_block(uint32_t& c0, uint32_t& c1, uint32_t& c2,
                                                uint32_t& c3, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t p0 = uint64_t{kPhiloxMul0} * c0, p1 = uint64_t{kPhiloxMul1} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(p0);
    k0 += kPhiloxKey0;
    k1 += kPhiloxKey1;
  }
}

/// Blocks counter, counter + 1, ... one after the other. out holds a multiple of 32 words and is
/// 32-byte aligned.
void philox_words(uint64_t key, uint64_t counter, std::span<uint32_t> out);

}  // namespace glass::cpu
