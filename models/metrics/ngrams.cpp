#include "models/metrics/ngrams.h"

#include <algorithm>

namespace glass {

bool NgramLess::operator()(Ngram a, Ngram b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

NgramCounts ngram_counts(const TokenList& tokens, size_t order) {
  NgramCounts counts;
  for (size_t from = 0; from + order <= tokens.size(); ++from)
    ++counts[Ngram(tokens).subspan(from, order)];
  return counts;
}

int64_t total(const NgramCounts& counts) {
  int64_t sum = 0;
  for (const auto& [ngram, count] : counts) sum += count;
  return sum;
}

int64_t common(const NgramCounts& a, const NgramCounts& b) {
  int64_t sum = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    if (found != b.end()) sum += std::min(count, found->second);
  }
  return sum;
}

}  // namespace glass
