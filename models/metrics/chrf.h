#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glass {

struct ChrfOptions {
  int64_t char_order = 6;
  int64_t word_order = 0;  ///< 2: chrF++
  double beta = 2;
  bool lower = false;  ///< the text was lower-cased: only for the signature
};

struct Chrf {
  double value = 0;       ///< in [0, 1]
  std::string signature;  ///< "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"
};

/// chrF (Popović 2015) over a corpus, as sacreBLEU counts it:
///   F = (1 + β²)·P·R / (β²·P + R)
/// with P and R the means, over the orders that both sides have, of the matching part of the
/// character n-grams (white space removed) and, for chrF++, of the word n-grams (a mark at the end
/// of a word, or else at its start, is a word of its own). Counts are summed over the corpus; of
/// several references the one with the best F of its sentence counts, of equally good ones the
/// first. Takes lines as they are, not tokens. Throws as check_references(), for orders that are
/// negative or all 0, and for a beta that is not positive.
Chrf corpus_chrf(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const ChrfOptions& options = {});

}  // namespace glass
