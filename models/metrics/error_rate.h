#pragma once

#include <cstdint>
#include <vector>

#include "models/metrics/references.h"

namespace glass {

/// Edits counted against the nearest reference of each hypothesis, and the lengths of those.
struct SymbolErrors {
  int64_t edits = 0;
  int64_t symbols = 0;

  /// edits / symbols. Where all nearest references are empty: the edits themselves (0 if none).
  double rate() const;
};

/// Symbol error rate over a corpus (a word, phone or character error rate, by what the tokens are):
/// each hypothesis is compared with its nearest reference, of equally near ones the longest; the
/// edits and lengths of all are summed before the division. references[i] belong to hypotheses[i].
/// An empty reference is a reference like any other. Throws as check_references().
SymbolErrors symbol_errors(const std::vector<TokenList>& hypotheses,
                           const std::vector<std::vector<TokenList>>& references);

/// The fraction of hypotheses, in [0, 1], that equal one of their references. Throws as above.
double exact_match(const std::vector<TokenList>& hypotheses,
                   const std::vector<std::vector<TokenList>>& references);

}  // namespace glass
