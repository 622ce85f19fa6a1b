#include "models/metrics/error_rate.h"

#include <algorithm>

#include "models/metrics/edit_distance.h"

namespace glass {

double SymbolErrors::rate() const {
  return static_cast<double>(edits) / static_cast<double>(std::max<int64_t>(symbols, 1));
}

SymbolErrors symbol_errors(const std::vector<TokenList>& hypotheses,
                           const std::vector<std::vector<TokenList>>& references) {
  check_references("symbol_errors", hypotheses, references);
  SymbolErrors total;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    SymbolErrors best;
    for (size_t r = 0; r < references[i].size(); ++r) {
      const TokenList& reference = references[i][r];
      const SymbolErrors here{edit_distance(hypotheses[i], reference),
                              static_cast<int64_t>(reference.size())};
      const bool nearer =
          here.edits < best.edits || (here.edits == best.edits && here.symbols > best.symbols);
      if (r == 0 || nearer) best = here;
    }
    total.edits += best.edits;
    total.symbols += best.symbols;
  }
  return total;
}

double exact_match(const std::vector<TokenList>& hypotheses,
                   const std::vector<std::vector<TokenList>>& references) {
  check_references("exact_match", hypotheses, references);
  int64_t matches = 0;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const auto& right = references[i];
    matches += std::find(right.begin(), right.end(), hypotheses[i]) != right.end() ? 1 : 0;
  }
  return static_cast<double>(matches) / static_cast<double>(hypotheses.size());
}

}  // namespace glass
