#include "models/text/numbers.h"

#include <algorithm>

#include "models/text/utf8.h"

namespace glass {

namespace {

// Of a full-width form, ！ to ～, the ASCII sign it is a form of (Unicode 15, Halfwidth and
// Fullwidth Forms); any other as it is.
char32_t ascii_form(char32_t point) {
  return point >= U'！' && point <= U'～' ? point - U'！' + U'!' : point;
}

}  // namespace

bool is_number(std::string_view written) {
  std::u32string points = decode_utf8(written);
  std::transform(points.begin(), points.end(), points.begin(), ascii_form);
  std::u32string_view token = points;
  if (token.starts_with(U'-') || token.starts_with(U'+')) token.remove_prefix(1);
  if (token.empty() || !is_ascii_digit(token[0])) return false;
  return std::all_of(token.begin(), token.end(), [](char32_t point) {
    return is_ascii_digit(point) ||
           std::u32string_view(U".,:/%-").find(point) != std::u32string_view::npos;
  });
}

std::string with_narrow_digits(std::string_view text) {
  std::u32string points = decode_utf8(text);
  const auto digit = [&](size_t i) {
    return i < points.size() && is_ascii_digit(ascii_form(points[i]));
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const bool between = i > 0 && digit(i - 1) && digit(i + 1);
    const bool sign = std::u32string_view(U"．，：").find(points[i]) != std::u32string_view::npos;
    if (digit(i) || (sign && between)) points[i] = ascii_form(points[i]);
  }
  return encode_utf8(points);
}

std::string number_normalized(const std::string& token) {
  return is_number(token) ? kNumberToken : token;
}

}  // namespace glass
