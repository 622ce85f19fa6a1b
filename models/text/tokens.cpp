#include "models/text/tokens.h"

#include <algorithm>

#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr Tokens kKinds[] = {Tokens::chars, Tokens::words, Tokens::split, Tokens::whole};

bool is_punctuation(char32_t p) {
  if (p < 0x80) {
    return p > 0x20 && p < 0x7F && !is_ascii_digit(p) && !((p | 0x20) >= 'a' && (p | 0x20) <= 'z');
  }
  if (p < 0xC0) return p >= 0xA1 && p != 0xAA && p != 0xAD && p != 0xB5 && p != 0xBA;
  return p == 0xD7 || p == 0xF7 || (p >= 0x2010 && p <= 0x2027) || (p >= 0x2030 && p <= 0x205E) ||
         (p >= 0x20A0 && p <= 0x20CF) || (p >= 0x2190 && p <= 0x2BFF) || p == kReplacement;
}

// Letters, digits and their marks: what runs together into one word.
bool is_word(char32_t p) {
  return !is_white_space(p) && !is_punctuation(p) && display_width(p) != 2;
}

// Does points[i], a punctuation mark, belong to the word on both its sides?
bool is_inside_word(std::u32string_view points, size_t i) {
  if (i == 0 || i + 1 >= points.size()) return false;
  const char32_t before = points[i - 1], p = points[i], after = points[i + 1];
  if (p == ',' || p == ':') return is_ascii_digit(before) && is_ascii_digit(after);
  return (p == '\'' || p == 0x2019 || p == '-' || p == '.') && is_word(before) && is_word(after);
}

std::vector<std::string> words_of(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  std::vector<std::string> words;
  bool open = false;  // the last word may still grow
  for (size_t i = 0; i < points.size(); ++i) {
    const char32_t p = points[i];
    if (is_white_space(p)) {
      open = false;
    } else if (display_width(p) == 0 && i > 0 && !is_white_space(points[i - 1])) {
      words.back() += encode_utf8(p);
    } else if (is_word(p) || (open && is_inside_word(points, i))) {
      if (!open) words.emplace_back();
      words.back() += encode_utf8(p);
      open = true;
    } else {
      words.push_back(encode_utf8(p));
      open = false;
    }
  }
  return words;
}

std::vector<std::string> split_at_white_space(std::string_view text) {
  std::vector<std::string> parts;
  bool open = false;
  for (char32_t p : decode_utf8(text)) {
    if (is_white_space(p)) {
      open = false;
      continue;
    }
    if (!open) parts.emplace_back();
    parts.back() += encode_utf8(p);
    open = true;
  }
  return parts;
}

// To which neighbour a token clings.
enum class Cling { none, left, right, both };

class WordJoiner {
 public:
  void add(const std::string& token, bool is_last) {
    const Cling cling = cling_of(token, is_last);
    const std::u32string points = decode_utf8(token);
    const bool wide = !points.empty() && display_width(points.front()) == 2;
    const bool glued = cling == Cling::left || cling == Cling::both || last_ == Cling::right ||
                       last_ == Cling::both || (wide && last_wide_);
    if (!text_.empty() && !glued) text_ += ' ';
    text_ += token;
    last_ = cling;
    last_wide_ = wide;
  }
  std::string text() && { return std::move(text_); }

 private:
  Cling cling_of(const std::string& token, bool is_last) {
    const auto among = [&](std::initializer_list<std::string_view> marks) {
      return std::find(marks.begin(), marks.end(), token) != marks.end();
    };
    if (among({",", ".", ";", ":", "!", "?", "%", ")", "]", "}", "’", "”", "»", "…"})) {
      return Cling::left;
    }
    if (among({"(", "[", "{", "‘", "“", "«", "¿", "¡", "$", "£", "€", "#", "@"})) {
      return Cling::right;
    }
    if (token == "/") return Cling::both;
    if (token == "\"") return turn(double_open_, is_last);
    if (token == "'") {
      const bool plural = !text_.empty() && (text_.back() == 's' || text_.back() == 'S');
      return !single_open_ && plural ? Cling::left : turn(single_open_, is_last);
    }
    return Cling::none;
  }

  static Cling turn(bool& open, bool is_last) {
    open = !open && !is_last;
    return open ? Cling::right : Cling::left;
  }

  std::string text_;
  Cling last_ = Cling::none;
  bool last_wide_ = false, double_open_ = false, single_open_ = false;
};

char32_t lower(char32_t p) {
  if (p >= 'A' && p <= 'Z') return p + 32;
  if (p >= 0xC0 && p <= 0xDE && p != 0xD7) return p + 32;
  if (p == 0x178) return 0xFF;
  const bool even_upper = (p >= 0x100 && p <= 0x137 && p != 0x130) || (p >= 0x14A && p <= 0x177);
  const bool odd_upper = (p >= 0x139 && p <= 0x148) || (p >= 0x179 && p <= 0x17E);
  if ((even_upper && p % 2 == 0) || (odd_upper && p % 2 == 1)) return p + 1;
  if (p >= 0x391 && p <= 0x3AB && p != 0x3A2) return p + 32;
  if (p >= 0x410 && p <= 0x42F) return p + 32;
  if (p >= 0x400 && p <= 0x40F) return p + 80;
  return p;
}

}  // namespace

std::string_view name(Tokens kind) {
  switch (kind) {
    case Tokens::chars:
      return "chars";
    case Tokens::words:
      return "words";
    case Tokens::split:
      return "split";
    case Tokens::whole:
      return "whole";
  }
  fail_bug("name(Tokens)", "no such kind", static_cast<int>(kind));
}

Tokens tokens_named(std::string_view wanted) {
  for (Tokens kind : kKinds) {
    if (name(kind) == wanted) return kind;
  }
  fail("tokens_named", "tokens are chars, words, split or whole", '"', wanted, '"');
}

std::vector<std::string> tokenise(std::string_view text, Tokens kind) {
  switch (kind) {
    case Tokens::chars:
      return characters(text);
    case Tokens::words:
      return words_of(text);
    case Tokens::split:
      return split_at_white_space(text);
    case Tokens::whole:
      return {std::string(text)};
  }
  fail_bug("tokenise", "no such kind", static_cast<int>(kind));
}

std::string join(const std::vector<std::string>& tokens, Tokens kind) {
  if (kind == Tokens::words) {
    WordJoiner joiner;
    for (size_t i = 0; i < tokens.size(); ++i) joiner.add(tokens[i], i + 1 == tokens.size());
    return std::move(joiner).text();
  }
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (kind == Tokens::split && i > 0) text += ' ';
    text += tokens[i];
  }
  return text;
}

std::string lower_case(std::string_view text) {
  std::u32string points = decode_utf8(text);
  for (char32_t& p : points) p = lower(p);
  return encode_utf8(points);
}

std::vector<std::string> without_blanks(const std::vector<std::string>& tokens) {
  std::vector<std::string> kept;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(kept),
               [](const std::string& token) { return !trim(token).empty(); });
  return kept;
}

}  // namespace glass
