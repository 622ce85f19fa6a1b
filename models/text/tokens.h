#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glass {

/// How a text becomes tokens, and tokens a text. Bad UTF-8 follows the rule of utf8.h.
enum class Tokens {
  /// Code points, blanks among them. join(tokenise(text)) == text.
  chars,
  /// English words. White space separates; punctuation stands alone, except apostrophes, hyphens
  /// and full stops with a letter or digit on both sides ("don't", "well-known", "U.S") and commas
  /// and colons between digits ("1,000", "10:30"). Wide letters (Chinese, Japanese, Korean) stand
  /// alone. Joining puts one blank between words, none before , . ; : ! ? % and closing brackets
  /// and quotes, none after opening ones and $ £ € # @, none on either side of a slash and none
  /// between wide letters; straight double and single quotes open and close in turn. So
  /// join(tokenise(text)) writes usual English as it was, and tokenising it again gives the same
  /// tokens, unless one begins with a combining mark.
  words,
  /// What white space separates (phones). Joined with one blank: runs of white space shrink.
  split,
  /// The whole text, one token (labels).
  whole,
};

/// "chars", "words", "split" or "whole".
std::string_view name(Tokens kind);
/// Throws when the name is none of these.
Tokens tokens_named(std::string_view name);

std::vector<std::string> tokenise(std::string_view text, Tokens kind);
std::string join(const std::vector<std::string>& tokens, Tokens kind);

/// Lower case for Latin (ASCII, Latin-1, Latin Extended-A), unaccented Greek and the basic Cyrillic
/// letters; everything else stays. Independent of the locale.
std::string lower_case(std::string_view text);

/// Drops the tokens that are nothing but white space, as BLEU by character does.
std::vector<std::string> without_blanks(const std::vector<std::string>& tokens);

}  // namespace glass
