#pragma once

#include <string>
#include <vector>

namespace glass {

struct Tick {
  double value = 0;
  std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], about `wanted` of them,
/// at least `least` apart, all with the same decimals. After P. Heckbert, "Nice numbers for graph
/// labels", Graphics Gems, 1990. Needs finite ends; low > high is an Error.
std::vector<Tick> nice_ticks(double low, double high, int wanted = 5, double least = 0);

/// Powers of ten inside [low, high], with their 2- and 5-fold when fewer than three fit. Needs
/// 0 < low <= high, else an Error.
std::vector<Tick> log_ticks(double low, double high);

}  // namespace glass
