#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/metrics/references.h"

namespace glass {

/// What stands in for a precision whose n-grams all miss (Chen and Cherry 2014).
enum class Smoothing {
  none,   ///< 0, and BLEU is 0
  floor,  ///< value matches instead of none
  add_k,  ///< value added to matches and totals of every order from 2 on
  exp,    ///< half a match for the first such order, then a quarter, an eighth, …
  coco,   ///< pycocoevalcap's: 1e-15 added to every match, 1e-9 to every total
};

inline constexpr Smoothing kSmoothings[] = {Smoothing::none, Smoothing::floor, Smoothing::add_k,
                                            Smoothing::exp, Smoothing::coco};
/// "none", "floor", "add-k", "exp" or "coco".
std::string_view name(Smoothing kind);
/// sacreBLEU's value for floor and add_k; 0 for those that take none.
double usual_value(Smoothing kind);

struct BleuOptions {
  int64_t max_order = 4;
  Smoothing smoothing = Smoothing::none;
  double value = 0;              ///< for floor and add_k
  bool effective_order = false;  ///< leave out the orders for which the hypotheses are too short
  std::string tokens = "none";   ///< how the text was tokenised: only for the signature
  bool lower = false;            ///< the text was lower-cased: only for the signature
};

struct Bleu {
  double value = 0;                      ///< in [0, 1]
  std::vector<int64_t> matches, totals;  ///< per order: n-grams of the hypotheses, clipped and all
  int64_t length = 0;                    ///< of the hypotheses, in tokens
  int64_t reference_length = 0;          ///< of the closest references
  double brevity = 0;                    ///< the penalty, in [0, 1]
  std::string signature;                 ///< "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"
};

/// BLEU (Papineni et al. 2002) over a corpus with any number of references per hypothesis:
///   BLEU = min(1, exp(1 - r/c)) · exp(mean over n of log(matches_n / totals_n))
/// with matches clipped at the most any one reference has, summed over the corpus before the
/// division; c the length of the hypotheses and r that of the references closest in length, of two
/// equally close ones the shorter. Without any match it is 0 (with coco: next to 0); so an empty
/// corpus of words (all hypotheses empty) has 0, even against empty references. An order for which
/// there are no n-grams at all makes it 0 unless effective_order leaves that order out (with add_k,
/// as in sacreBLEU, such an order counts as k of k instead).
/// Tokens are compared as they are (by character: tokenise so, then without_blanks()).
/// Throws as check_references(), for max_order < 1, for a smoothing value that is not positive, and
/// for coco with effective_order.
Bleu corpus_bleu(const std::vector<TokenList>& hypotheses,
                 const std::vector<std::vector<TokenList>>& references, BleuOptions options = {});

/// BLEU of one sentence, with effective order. The mean of these is not corpus BLEU.
Bleu sentence_bleu(const TokenList& hypothesis, const std::vector<TokenList>& references,
                   BleuOptions options = {.effective_order = true});

/// The value from counts: matches[n - 1] and totals[n - 1] for the orders n = 1 … max_order.
double bleu_from_counts(const std::vector<int64_t>& matches, const std::vector<int64_t>& totals,
                        int64_t length, int64_t reference_length, const BleuOptions& options = {});

}  // namespace glass
