#pragma once

#include <functional>
#include <vector>

#include "models/metrics/references.h"

namespace glass {

/// Fractions in [0, 1].
struct Rouge {
  double precision = 0, recall = 0, f = 0;
};

// Three families of tools call different numbers ROUGE. Each function scores one hypothesis against
// its references; corpus_rouge() is the mean over a corpus.

/// ROUGE-N of ROUGE-1.5.5 (Lin 2004): the shared n-grams over those of the hypothesis (precision)
/// and of the reference (recall), F their harmonic mean. The reference with the best F counts.
/// Tokens are those of Tokeniser::rouge_1_5_5; no stemming.
Rouge rouge_n(const TokenList& hypothesis, const std::vector<TokenList>& references, size_t order);

/// ROUGE-L of ROUGE-1.5.5: the same with the length of the longest common subsequence.
Rouge rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references);

/// ROUGE-L of ROUGE-1.5.5 for texts of several sentences ("Lsum"): per reference sentence, the
/// union of its longest common subsequences with all sentences of the hypothesis; a word counts at
/// most as often as either text has it.
Rouge rouge_l_of_summary(const std::vector<TokenList>& hypothesis,
                         const std::vector<TokenList>& reference);

/// ROUGE-L of caption evaluation (pycocoevalcap): the best precision and the best recall over the
/// references, perhaps of different ones, and F with beta = 1.2:
///   F = (1 + β²)·P·R / (R + β²·P)
Rouge caption_rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references);

/// ROUGE-L of NMT tools (TensorFlow's nmt and what descends from it): the same F with β = P/R.
/// Those tools know one reference; of several the one with the best F counts.
Rouge nmt_rouge_l(const TokenList& hypothesis, const std::vector<TokenList>& references);

using SentenceRouge = std::function<Rouge(const TokenList&, const std::vector<TokenList>&)>;

/// The means of what `one` gives. Throws as check_references().
Rouge corpus_rouge(const std::vector<TokenList>& hypotheses,
                   const std::vector<std::vector<TokenList>>& references, const SentenceRouge& one);

}  // namespace glass
