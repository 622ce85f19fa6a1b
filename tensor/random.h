#pragma once

#include <array>
#include <cstdint>

#include "tensor/tensor.h"

// Random numbers by counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3; SC 2011). Block number c of a key is four 32-bit words, its lanes, that depend
// on nothing but the key and c. So a draw is the same whatever the number of threads.
//
// Element i of a draw that begins at counter c reads
//   32 bits (float32 uniform, bool):         block c + i / 4, lane i % 4
//   64 bits (float64 uniform, int64):        block c + i / 2, lanes 2 (i % 2) and 2 (i % 2) + 1
//   float32 normal: block c + i / 4, the pair of lanes that i % 4 lies in
//   float64 normal: block c + i / 2, all lanes
// and the draw leaves the counter behind the last block it used.
namespace glass {

/// One block: counter and key as little-endian words.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A place in a stream of random numbers. Copying a Generator copies the place: both copies draw
/// the same numbers.
class Generator {
 public:
  struct State {
    uint64_t key = 0, counter = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Generator(uint64_t seed = 0) : state_{seed, 0} {}
  static Generator from(State state) {
    Generator generator;
    generator.state_ = state;
    return generator;
  }

  State state() const { return state_; }
  uint64_t seed() const { return state_.key; }
  uint64_t counter() const { return state_.counter; }
  void seek(uint64_t counter) { state_.counter = counter; }
  /// Reserves blocks for a draw: returns the counter of the first and moves behind the last.
  uint64_t take(uint64_t blocks) {
    const uint64_t first = state_.counter;
    state_.counter += blocks;
    return first;
  }

  /// In [0, 1), a multiple of 2^-53. Uses one block.
  double draw_uniform();
  /// In [0, n); throws Error unless n > 0. Uses one block. No value is more likely than another by
  /// more than n / 2^64.
  int64_t draw_int(int64_t n);

 private:
  State state_;
};

/// In [low, high): steps of (high - low) / 2^24 for float32, / 2^53 for float64. low == high gives
/// low. Throws Error when low > high or the difference is not finite.
Tensor uniform(const Shape& shape, double low, double high, DType dtype, Generator& generator);
/// mean + std · z, z from the standard normal distribution (Box and Muller 1958, in double).
/// Throws Error for a negative std.
Tensor normal(const Shape& shape, double mean, double std, DType dtype, Generator& generator);
/// bool, true with probability p in [0, 1] (to 2^-32); never for 0, always for 1.
Tensor bernoulli(const Shape& shape, double p, Generator& generator);
/// int64 in [low, high); as even as draw_int. Throws Error unless low < high.
Tensor randint(int64_t low, int64_t high, const Shape& shape, Generator& generator);
/// The numbers 0 .. n-1 in random order, int64 (Fisher and Yates). Uses n - 1 blocks.
Tensor randperm(int64_t n, Generator& generator);

/// x / (1 - p) where bernoulli(shape, 1 - p, generator) would be true, else 0; in one pass. Throws
/// Error when p is not in [0, 1].
Tensor dropout(const Tensor& x, double p, Generator& generator);

/// An index drawn with the given probabilities: 1-d, float, not negative, in any common scale.
/// Never one of probability 0. Throws Error when a value is negative or not finite, or all are 0.
/// Uses one block.
int64_t categorical(const Tensor& probabilities, Generator& generator);
/// samples draws of categorical per row, with replacement: [n] -> [samples], [rows, n] ->
/// [rows, samples], int64. Uses one block per draw.
Tensor multinomial(const Tensor& probabilities, int64_t samples, Generator& generator);

}  // namespace glass
