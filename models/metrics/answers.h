#pragma once

#include <vector>

#include "models/metrics/bleu.h"
#include "models/text/tokens.h"

namespace glass {

/// What a trained model's answers are worth against the targets of their sources.
struct AnswerScores {
  double exact_match = 0, symbol_error_rate = 0;
  Bleu bleu;  ///< unsmoothed
};

/// Answers as the model's own tokens; kind is what those are. BLEU by characters leaves the blanks
/// out, as `glass score --tokens char` does; the other two count them. Throws as
/// check_references().
AnswerScores answer_scores(std::vector<TokenList> answers,
                           std::vector<std::vector<TokenList>> targets, Tokens kind);

}  // namespace glass
