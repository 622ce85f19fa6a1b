#include <algorithm>
#include <array>

#include "models/metrics/tokeniser.h"
#include "models/text/tokens.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

constexpr std::array<std::string_view, 7> kEndings = {"n't", "'s", "'m", "'d", "'re", "'ve", "'ll"};

// Words that are two: where the first ends.
struct Two {
  std::string_view word;
  size_t first;
};
constexpr std::array<Two, 6> kTwos = {
    {{"cannot", 3}, {"gonna", 3}, {"gotta", 3}, {"wanna", 3}, {"lemme", 3}, {"gimme", 3}}};

// Typographic quotes as plain ones.
std::string plain_quotes(std::string_view line) {
  std::u32string points = decode_utf8(line);
  for (char32_t& p : points) {
    if (p == U'‘' || p == U'’') p = U'\'';
    if (p == U'“' || p == U'”' || p == U'…') p = U'"';
  }
  return encode_utf8(points);
}

// A word cut at its inner punctuation, which is dropped; brackets keep their Treebank names.
TokenList pieces(std::string_view word) {
  TokenList found(1);
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const bool in_number =
        i > 0 && i + 1 < word.size() && is_ascii_digit(word[i - 1]) && is_ascii_digit(word[i + 1]);
    const bool dash = c == '-' && i + 1 < word.size() && word[i + 1] == '-';
    if (c == '(' || c == ')') {
      found.push_back(c == '(' ? "-lrb-" : "-rrb-");
      found.emplace_back();
    } else if (dash) {
      while (i + 1 < word.size() && word[i + 1] == '-') ++i;
      found.emplace_back();
    } else if (std::string_view("\"`;!?").find(c) != std::string_view::npos ||
               ((c == ',' || c == ':') && !in_number)) {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

bool is_ending(std::string_view piece) {
  return std::find(kEndings.begin(), kEndings.end(), piece) != kEndings.end();
}

// Without quotes at its ends and without the full stops that end a sentence.
std::string_view bare(std::string_view piece) {
  while (!piece.empty() && !is_ending(piece)) {
    const size_t stops = piece.size() - 1 - std::min(piece.find_last_not_of('.'), piece.size() - 1);
    if (piece.front() == '\'')
      piece.remove_prefix(1);
    else if (piece.back() == '\'')
      piece.remove_suffix(1);
    else if (piece.find_first_not_of(".-") == std::string_view::npos)
      piece = {};
    else if (stops > 1 || (stops == 1 && piece.find('.') == piece.size() - 1))
      piece.remove_suffix(stops);
    else
      break;
  }
  return piece;
}

void add(std::string_view piece, TokenList& tokens) {
  if (piece.empty()) return;
  for (std::string_view ending : kEndings) {
    if (piece.size() > ending.size() && piece.ends_with(ending)) {
      tokens.emplace_back(piece.substr(0, piece.size() - ending.size()));
      tokens.emplace_back(ending);
      return;
    }
  }
  for (const Two& two : kTwos) {
    if (piece == two.word) {
      tokens.emplace_back(piece.substr(0, two.first));
      tokens.emplace_back(piece.substr(two.first));
      return;
    }
  }
  tokens.emplace_back(piece);
}

}  // namespace

TokenList penn_tokens(std::string_view line) {
  TokenList tokens;
  for (const std::string& word : tokenise(plain_quotes(lower_case(line)), Tokens::split))
    for (const std::string& piece : pieces(word)) add(bare(piece), tokens);
  return tokens;
}

}  // namespace glass
