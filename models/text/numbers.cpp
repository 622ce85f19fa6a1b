#include "models/text/numbers.h"

#include "models/text/utf8.h"

namespace glass {

namespace {

// Full-width forms, ！ to ～, as the ASCII signs they are forms of (Unicode 15, Halfwidth and
// Fullwidth Forms).
std::string narrow(std::string_view token) {
  std::u32string points = decode_utf8(token);
  for (char32_t& point : points)
    if (point >= 0xFF01 && point <= 0xFF5E) point -= 0xFF01 - U'!';
  return encode_utf8(points);
}

}  // namespace

bool is_number(std::string_view written) {
  const std::string narrowed = narrow(written);
  std::string_view token = narrowed;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (token.starts_with("-") || token.starts_with("+")) token.remove_prefix(1);
  if (token.empty() || !is_digit(token[0])) return false;
  for (const char c : token)
    if (!is_digit(c) && std::string_view(".,:/%-").find(c) == std::string_view::npos) return false;
  return true;
}

std::string with_narrow_digits(std::string_view text) {
  std::u32string points = decode_utf8(text);
  const auto digit = [&](size_t i) {
    return i < points.size() &&
           ((points[i] >= U'0' && points[i] <= U'9') || (points[i] >= U'０' && points[i] <= U'９'));
  };
  for (size_t i = 0; i < points.size(); ++i) {
    char32_t& point = points[i];
    const bool between = i > 0 && digit(i - 1) && digit(i + 1);
    const bool sign = point == U'．' || point == U'，' || point == U'：';
    if ((point >= U'０' && point <= U'９') || (sign && between)) point -= 0xFF01 - U'!';
  }
  return encode_utf8(points);
}

std::string number_normalized(const std::string& token) {
  return is_number(token) ? kNumberToken : token;
}

}  // namespace glass
