#pragma once

#include <cstdint>
#include <vector>

namespace glass {

struct EntropyOptions {
  int64_t window = 0;  ///< so many keys a query could reach (local attention); 0: all
  /// What the weights of a query lack of 1 is one more cell (monotonic attention that may stop
  /// nowhere).
  bool lost_mass = false;
};

// Weights are [query][key], as a search returns them: finite, not negative, and at most 1 in a row.
// Anything else throws, naming the row.

/// How widely the queries look, in [0, 1]: the mean over the queries of
///   -Σ α·log α / log cells
/// 0: always one key; 1: all of them alike. A query with one cell has 0, and so has no query.
double attention_entropy(const std::vector<std::vector<double>>& weights,
                         const EntropyOptions& options = {});

/// How far the keys are from being attended to once each, over all queries: Σ_j (1 - Σ_t α_tj)².
double coverage_deviation(const std::vector<std::vector<double>>& weights);

}  // namespace glass
