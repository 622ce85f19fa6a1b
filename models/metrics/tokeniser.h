#pragma once

#include <string_view>

#include "models/metrics/references.h"

namespace glass {

/// How published scores cut a line into the tokens they compare. Bad UTF-8 follows utf8.h.
enum class Tokeniser {
  none,         ///< "none": at white space; the line was tokenised before
  space,        ///< "space": at every single blank, as TensorFlow's nmt: "" is one empty token
  mteval_13a,   ///< "13a": that of mteval-v13a and sacreBLEU: most ASCII punctuation stands alone
  characters,   ///< "char": every code point that is not white space
  chinese,      ///< "zh": sacreBLEU's: Chinese characters and marks stand alone, the rest as 13a
  penn,         ///< "ptb": that of caption evaluation, see penn_tokens()
  rouge_1_5_5,  ///< "rouge": lower case; what is not a-z or 0-9 separates
};

inline constexpr Tokeniser kTokenisers[] = {
    Tokeniser::none,    Tokeniser::space, Tokeniser::mteval_13a, Tokeniser::characters,
    Tokeniser::chinese, Tokeniser::penn,  Tokeniser::rouge_1_5_5};
/// The name in quotes above.
std::string_view name(Tokeniser kind);

TokenList tokenise(std::string_view line, Tokeniser kind);

/// A caption as pycocoevalcap compares it: Penn Treebank tokens in lower case without punctuation.
/// "A dog's bowl (blue)." -> a dog 's bowl -lrb- blue -rrb-; can't -> ca n't; cannot -> can not.
/// Hyphens, slashes, abbreviations with inner full stops (t.v.) and numbers (6:55) stay whole.
/// Of the Stanford tokeniser behind the original only this much is here: no list of
/// abbreviations (st.), no currency signs, no web addresses.
TokenList penn_tokens(std::string_view line);

}  // namespace glass
