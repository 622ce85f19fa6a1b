#pragma once

#include <optional>
#include <vector>

namespace glass {

/// The place of each value in their order, from 1; equal values share the mean of their places.
std::vector<double> ranks(const std::vector<double>& values);

/// Spearman's ρ: Pearson's correlation of the ranks (Spearman 1904). Empty where one side has no
/// order: fewer than two values, or all of them equal. Throws Error for sides of different sizes
/// and for NaN.
std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace glass
