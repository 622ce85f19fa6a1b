#include "models/metrics/rouge.h"

#include <algorithm>
#include <map>
#include <set>

#include "models/metrics/ngrams.h"

namespace glass {
namespace {

// table[i][j]: the longest common subsequence of the first i of a and the first j of b.
std::vector<std::vector<int64_t>> subsequence_table(const TokenList& a, const TokenList& b) {
  std::vector<std::vector<int64_t>> table(a.size() + 1, std::vector<int64_t>(b.size() + 1, 0));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      table[i + 1][j + 1] =
          a[i] == b[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
  return table;
}

int64_t common_subsequence(const TokenList& a, const TokenList& b) {
  return subsequence_table(a, b).back().back();
}

// The places in a of one longest common subsequence with b. Which one, where there are several, is
// decided as ROUGE-1.5.5 does: from the end, dropping from a unless that loses a match.
void add_places(const TokenList& a, const TokenList& b, std::set<size_t>& places) {
  const auto table = subsequence_table(a, b);
  for (size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    if (a[i - 1] == b[j - 1]) {
      places.insert(i - 1);
      --i;
      --j;
    } else if (table[i][j - 1] > table[i - 1][j]) {
      --j;
    } else {
      --i;
    }
  }
}

double ratio(int64_t part, size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Rouge harmonic(double precision, double recall) {
  const double sum = precision + recall;
  return {precision, recall, sum == 0 ? 0 : 2 * precision * recall / sum};
}

// One score per reference; the first of those with the best F.
template <class Score>
Rouge best_of(const std::vector<TokenList>& references, Score score) {
  if (references.empty()) fail("rouge", "there is no reference");
  std::vector<Rouge> all;
  for (const TokenList& reference : references) all.push_back(score(reference));
  return *std::max_element(all.begin(), all.end(),
                           [](const Rouge& a, const Rouge& b) { return a.f < b.f; });
}

}  // namespace

Rouge rouge_n(const TokenList& hypothesis, const std::vector<TokenList>& references, size_t order) {
  if (order < 1) fail("rouge_n", "order must be at least 1", order);
  const NgramCounts mine = ngram_counts(hypothesis, order);
  return best_of(references, [&](const TokenList& reference) {
    const NgramCounts theirs = ngram_counts(reference, order);
    const int64_t shared = common(mine, theirs);
    return harmonic(ratio(shared, static_cast<size_t>(total(mine))),
                    ratio(shared, static_cast<size_t>(total(theirs))));
  });
}

Rouge rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references) {
  return best_of(references, [&](const TokenList& reference) {
    const int64_t length = common_subsequence(hypothesis, reference);
    return harmonic(ratio(length, hypothesis.size()), ratio(length, reference.size()));
  });
}

Rouge rouge_l_of_summary(const std::vector<TokenList>& hypothesis,
                         const std::vector<TokenList>& reference) {
  std::map<std::string, int64_t> mine, theirs;  // words not yet matched
  size_t my_words = 0, their_words = 0;
  for (const TokenList& sentence : hypothesis)
    for (const std::string& word : sentence) ++mine[word], ++my_words;
  for (const TokenList& sentence : reference)
    for (const std::string& word : sentence) ++theirs[word], ++their_words;
  int64_t hits = 0;
  for (const TokenList& sentence : reference) {
    std::set<size_t> places;
    for (const TokenList& other : hypothesis) add_places(sentence, other, places);
    for (size_t place : places) {
      int64_t& here = mine[sentence[place]];
      int64_t& there = theirs[sentence[place]];
      if (here == 0 || there == 0) continue;
      --here;
      --there;
      ++hits;
    }
  }
  return harmonic(ratio(hits, my_words), ratio(hits, their_words));
}

Rouge caption_rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references) {
  constexpr double kBeta2 = 1.2 * 1.2;
  if (references.empty()) fail("rouge", "there is no reference");
  Rouge best;
  for (const TokenList& reference : references) {
    const int64_t length = common_subsequence(hypothesis, reference);
    best.precision = std::max(best.precision, ratio(length, hypothesis.size()));
    best.recall = std::max(best.recall, ratio(length, reference.size()));
  }
  if (best.precision > 0 && best.recall > 0)
    best.f = (1 + kBeta2) * best.precision * best.recall / (best.recall + kBeta2 * best.precision);
  return best;
}

Rouge nmt_rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references) {
  constexpr double kTiny = 1e-12;  // those tools' guard against a division by zero
  return best_of(references, [&](const TokenList& reference) {
    const int64_t length = common_subsequence(hypothesis, reference);
    const double p = ratio(length, hypothesis.size()), r = ratio(length, reference.size());
    const double beta = p / (r + kTiny);
    return Rouge{p, r, (1 + beta * beta) * r * p / (r + beta * beta * p + kTiny)};
  });
}

Rouge corpus_rouge(const std::vector<TokenList>& hypotheses,
                   const std::vector<std::vector<TokenList>>& references,
                   const SentenceRouge& one) {
  check_references("corpus_rouge", hypotheses, references);
  Rouge sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Rouge here = one(hypotheses[i], references[i]);
    sum.precision += here.precision;
    sum.recall += here.recall;
    sum.f += here.f;
  }
  const auto n = static_cast<double>(hypotheses.size());
  return {sum.precision / n, sum.recall / n, sum.f / n};
}

}  // namespace glass
