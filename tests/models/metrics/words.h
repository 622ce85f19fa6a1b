#pragma once

#include "models/metrics/tokeniser.h"

namespace glass::tests {

inline TokenList words(std::string_view text) { return tokenise(text, Tokeniser::none); }

/// The words of each text.
inline std::vector<TokenList> word_lists(const std::vector<std::string>& texts) {
  std::vector<TokenList> lists;
  for (const std::string& text : texts) lists.push_back(words(text));
  return lists;
}

}  // namespace glass::tests
