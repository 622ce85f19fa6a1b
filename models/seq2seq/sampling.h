#pragma once

#include <cstdint>
#include <string>

namespace glass {

/// Scheduled sampling (Bengio, Vinyals, Jaitly, Shazeer 2015): each token that the decoder is given
/// in training is the right one with probability ε_i, else its own last choice; i counts steps.
///   none  ε = 1    linear  max(0, 1 - i/k)    exponential  k^i    inverse-sigmoid  k/(k +
///   exp(i/k))
struct ScheduledSampling {
  std::string schedule = "none";
  double k = 10000;  ///< linear: steps until 0; exponential: below 1; inverse-sigmoid: at least 1

  /// ε at a step; throws Error for another schedule, or a k that it cannot have.
  double keep(int64_t step) const;
};

}  // namespace glass
