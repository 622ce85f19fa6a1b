#include "models/metrics/answers.h"

#include "models/metrics/error_rate.h"
#include "models/metrics/tokeniser.h"

namespace glass {
namespace {

// As `glass score` calls the same tokens; it has no name for ours.
std::string_view signature_name(Tokens kind) {
  if (kind == Tokens::chars) return name(Tokeniser::characters);
  return kind == Tokens::split ? name(Tokeniser::none) : name(kind);
}

}  // namespace

AnswerScores answer_scores(std::vector<TokenList> answers,
                           std::vector<std::vector<TokenList>> targets, Tokens kind) {
  AnswerScores scores;
  scores.exact_match = exact_match(answers, targets);
  scores.symbol_error_rate = symbol_errors(answers, targets).rate();
  if (kind == Tokens::chars) {
    for (TokenList& answer : answers) answer = without_blanks(answer);
    for (std::vector<TokenList>& list : targets)
      for (TokenList& target : list) target = without_blanks(target);
  }
  scores.bleu = corpus_bleu(answers, targets, {.tokens = std::string(signature_name(kind))});
  return scores;
}

}  // namespace glass
