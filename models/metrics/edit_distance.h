#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace glass {

/// Levenshtein distance: the fewest insertions, deletions and substitutions that turn a into b.
template <class Token>
int64_t edit_distance(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::vector<int64_t> cost(b.size() + 1);  // of turning the first i of a into the first j of b
  std::iota(cost.begin(), cost.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = cost[0];  // cost[j - 1] of the row before
    cost[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t substituted = diagonal + (a[i] == b[j - 1] ? 0 : 1);
      diagonal = cost[j];
      cost[j] = std::min({substituted, cost[j] + 1, cost[j - 1] + 1});
    }
  }
  return cost.back();
}

using TokenList = std::vector<std::string>;

/// Edits counted against the nearest reference of each hypothesis, and the lengths of those.
struct SymbolErrors {
  int64_t edits = 0;
  int64_t symbols = 0;

  /// edits / symbols. Where all nearest references are empty: the edits themselves (0 if none).
  double rate() const;
};

/// Symbol error rate over a corpus (a phone or character error rate, by what the tokens are): each
/// hypothesis is compared with its nearest reference, of equally near ones the longest; the edits
/// and lengths of all are summed before the division. references[i] belong to hypotheses[i].
/// An empty reference is a reference like any other. Throws when there is no hypothesis, when the
/// two lists differ in length, or when a hypothesis has no reference.
SymbolErrors symbol_errors(const std::vector<TokenList>& hypotheses,
                           const std::vector<std::vector<TokenList>>& references);

/// The fraction of hypotheses, in [0, 1], that equal one of their references. Throws as above.
double exact_match(const std::vector<TokenList>& hypotheses,
                   const std::vector<std::vector<TokenList>>& references);

/// Throws unless each hypothesis has at least one reference and there is a hypothesis.
/// `op` is the metric the error shall name.
void check_references(const char* op, const std::vector<TokenList>& hypotheses,
                      const std::vector<std::vector<TokenList>>& references);

}  // namespace glass
