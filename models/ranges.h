#pragma once

#include <cstdint>
#include <string>

namespace glass {

/// The whole numbers that make sense for an option, in config.json as on the command line.
struct WholeRange {
  uint64_t low, high;
  bool holds(uint64_t value) const { return value >= low && value <= high; }
  /// "a whole number from 1 to 64"
  std::string text() const;
};

/// The same for real numbers; no range holds NaN or an infinity.
struct NumberRange {
  double low, high;
  bool above_low = false, below_high = false;  ///< the end itself is left out
  bool holds(double value) const {
    return (above_low ? value > low : value >= low) && (below_high ? value < high : value <= high);
  }
  /// "a number from 0 to 0.99", "a number above 0 and below 1"
  std::string text() const;
};

inline constexpr WholeRange kLayersRange{1, 64};
inline constexpr WholeRange kLayersOrNoneRange{0, 64};
inline constexpr WholeRange kSizeRange{1, 65536};  // of embeddings, states, attention
inline constexpr WholeRange kStagesRange{0, 8};    // that halve a picture
inline constexpr WholeRange kPictureSizeRange{0, 4096};
inline constexpr WholeRange kBeamRange{1, 1000};
inline constexpr WholeRange kCountRange{1, 1'000'000'000};  // of steps, sentences, occurrences
inline constexpr WholeRange kCountOrNoneRange{0, 1'000'000'000};
inline constexpr WholeRange kPairsRange{1, 10'000'000};  // that a task makes
inline constexpr WholeRange kLengthRange{1, 10'000};     // of its sentences
inline constexpr WholeRange kAlphabetRange{2, 62};
inline constexpr WholeRange kRepeatRange{1, 100};
inline constexpr WholeRange kMinLengthRange{0, 1000};
inline constexpr WholeRange kSeedRange{0, UINT64_MAX};
inline constexpr NumberRange kDropoutRange{.low = 0, .high = 1, .below_high = true};
inline constexpr NumberRange kBetaRange{.low = 0, .high = 1, .below_high = true};
// Adam's ε in float32: below it squares too small to be held would leave a division by nothing.
inline constexpr NumberRange kEpsilonRange{.low = 1e-20, .high = 1e6};
inline constexpr NumberRange kSmoothingRange{.low = 0, .high = 0.99};
inline constexpr NumberRange kLearningRateRange{.low = 0, .high = 1000, .above_low = true};
inline constexpr NumberRange kAmountRange{.low = 0, .high = 1e6};  // clip, decay, minutes
inline constexpr NumberRange kTemperatureRange{.low = 0, .high = 1000, .above_low = true};
inline constexpr NumberRange kPenaltyRange{.low = 0, .high = 100};

}  // namespace glass
