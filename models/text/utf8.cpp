#include "models/text/utf8.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace glass {
namespace {

struct Step {
  char32_t point = kReplacement;
  size_t bytes = 1;  // at least 1
  bool good = false;
};

struct Lead {
  int tail;             // continuation bytes to come; 0: no lead byte
  uint8_t first, last;  // bounds of the first continuation byte
  uint8_t bits;         // of the lead byte, those of the code point
};

// Well-formed sequences: table 3-7 of the Unicode Standard.
Lead lead_of(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF, 0x1F};
  if (byte == 0xE0) return {2, 0xA0, 0xBF, 0x0F};
  if (byte == 0xED) return {2, 0x80, 0x9F, 0x0F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF, 0x0F};
  if (byte == 0xF0) return {3, 0x90, 0xBF, 0x07};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF, 0x07};
  if (byte == 0xF4) return {3, 0x80, 0x8F, 0x07};
  return {0, 0, 0, 0};
}

// The code point at `at`, or the maximal ill-formed subpart that starts there.
Step step(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(at) < 0x80) return {byte(at), 1, true};
  const Lead lead = lead_of(byte(at));
  if (lead.tail == 0) return {};
  char32_t point = byte(at) & lead.bits;
  uint8_t first = lead.first, last = lead.last;
  for (int i = 1; i <= lead.tail; ++i) {
    const size_t next = at + static_cast<size_t>(i);
    if (next >= text.size() || byte(next) < first || byte(next) > last) {
      return {kReplacement, static_cast<size_t>(i), false};
    }
    point = point << 6 | (byte(next) & 0x3F);
    first = 0x80;
    last = 0xBF;
  }
  return {point, static_cast<size_t>(lead.tail) + 1, true};
}

void append(std::string& out, char32_t point) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) point = kReplacement;
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

struct Range {
  char32_t first, last;
};

constexpr Range kZeroWidth[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x0300, 0x036F},   {0x0483, 0x0489},   {0x0591, 0x05BD},
    {0x05BF, 0x05BF}, {0x05C1, 0x05C2}, {0x05C4, 0x05C5},   {0x05C7, 0x05C7},   {0x0610, 0x061A},
    {0x061C, 0x061C}, {0x064B, 0x065F}, {0x0670, 0x0670},   {0x06D6, 0x06DC},   {0x06DF, 0x06E4},
    {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711},   {0x0730, 0x074A},   {0x07A6, 0x07B0},
    {0x0900, 0x0902}, {0x093A, 0x093A}, {0x093C, 0x093C},   {0x0941, 0x0948},   {0x094D, 0x094D},
    {0x0951, 0x0957}, {0x0962, 0x0963}, {0x0981, 0x0981},   {0x09BC, 0x09BC},   {0x09C1, 0x09C4},
    {0x09CD, 0x09CD}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1},
    {0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECD}, {0x1160, 0x11FF},   {0x180B, 0x180F},   {0x1AB0, 0x1ACE},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x2064},   {0x2066, 0x206F},
    {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A},   {0xA66F, 0xA672},   {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF},
};

constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x3029},
    {0x302E, 0x303E},   {0x3041, 0x3098},   {0x309B, 0x3247},   {0x3250, 0x4DBF},
    {0x4E00, 0xA4C6},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
    {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7},
    {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
    {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

bool contains(std::span<const Range> ranges, char32_t point) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), point,
                                      [](char32_t p, const Range& r) { return p < r.first; });
  return after != ranges.begin() && point <= std::prev(after)->last;
}

}  // namespace

std::u32string decode_utf8(std::string_view bytes) {
  std::u32string points;
  points.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const Step next = step(bytes, at);
    points.push_back(next.point);
    at += next.bytes;
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string bytes;
  for (char32_t point : points) append(bytes, point);
  return bytes;
}

std::string encode_utf8(char32_t point) { return encode_utf8(std::u32string_view(&point, 1)); }

RepairedText repair_utf8(std::string_view bytes) {
  RepairedText result;
  result.text.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const Step next = step(bytes, at);
    append(result.text, next.point);
    result.replaced += next.good ? 0 : 1;
    at += next.bytes;
  }
  return result;
}

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> out;
  out.reserve(text.size());
  for (char32_t point : decode_utf8(text)) out.push_back(encode_utf8(point));
  return out;
}

bool is_white_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || point == 0x20 || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

std::string_view trim(std::string_view text) {
  size_t first = text.size(), last = text.size();
  for (size_t at = 0; at < text.size();) {
    const Step next = step(text, at);
    if (!is_white_space(next.point)) {
      first = std::min(first, at);
      last = at + next.bytes;
    }
    at += next.bytes;
  }
  return text.substr(first, last - first);
}

int display_width(char32_t point) {
  if (point >= 0x20 && point < 0x7F) return 1;
  if (contains(kZeroWidth, point)) return 0;
  return contains(kWide, point) ? 2 : 1;
}

int64_t display_width(std::string_view text) {
  int64_t width = 0;
  for (char32_t point : decode_utf8(text)) width += display_width(point);
  return width;
}

}  // namespace glass
