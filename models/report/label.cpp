#include "models/report/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/text/utf8.h"

namespace glass {
namespace {

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

bool is_direction_mark(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// The last two of every plane and a block of 32 are no characters; XML refuses some of them.
bool is_no_character(char32_t c) { return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

char32_t clean_point(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029) return ' ';
  return is_control(c) || is_direction_mark(c) || is_no_character(c) ? kReplacement : c;
}

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number == "-0" ? "0" : number;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::u32string points = decode_utf8(text);
  std::ranges::transform(points, points.begin(), clean_point);
  return encode_utf8(points);
}

std::string label_text(std::string_view token) {
  std::u32string points = decode_utf8(token);
  std::ranges::transform(points, points.begin(), [](char32_t c) {
    const char32_t clean = clean_point(c);
    return is_white_space(clean) ? U'␣' : clean;
  });
  const std::string label = encode_utf8(points);
  return !label.empty() && display_width(label) == 0 ? "◌" + label : label;
}

std::string shorten(std::string_view text, int64_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::u32string kept;
  int64_t used = 1;  // of the ellipsis
  for (char32_t point : decode_utf8(text)) {
    used += display_width(point);
    if (used > width) break;
    kept.push_back(point);
  }
  return encode_utf8(kept) + "…";
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (char c : clean_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 1e-4 || size >= 1e15) return fmt::format("{:.{}g}", value, digits);
  const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
  return without_trailing_zeros(fmt::format("{:.{}f}", value, decimals));
}

std::string pixels(double value) { return without_trailing_zeros(fmt::format("{:.1f}", value)); }

}  // namespace glass
