#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glass {

// One rule for bad UTF-8, everywhere: each maximal ill-formed subpart (Unicode 15, section 3.9,
// "U+FFFD substitution of maximal subparts") becomes one U+FFFD. Overlong forms, surrogates and
// values past U+10FFFF are ill-formed. Decoding never fails.

inline constexpr char32_t kReplacement = 0xFFFD;

/// The code points of a text.
std::u32string decode_utf8(std::string_view bytes);

/// The bytes of code points; a surrogate or a value past U+10FFFF is written as U+FFFD.
std::string encode_utf8(std::u32string_view points);
std::string encode_utf8(char32_t point);

/// A text after repair, and how many ill-formed subparts were replaced in it.
struct RepairedText {
  std::string text;
  int64_t replaced = 0;
};
RepairedText repair_utf8(std::string_view bytes);

/// Each code point as a string of its own; bad bytes by the rule above.
std::vector<std::string> characters(std::string_view text);

/// White space as Unicode has it (property White_Space), ideographic space included.
bool is_white_space(char32_t point);

/// Text without the white space at its two ends.
std::string_view trim(std::string_view text);

/// Terminal columns: 2 for East Asian wide and full-width letters and for emoji, 0 for combining
/// marks, joiners and control characters, else 1 (also for the marks of scripts that are rare in
/// our data: the table is short). A sequence of emoji glued by joiners counts each of its parts.
int display_width(char32_t point);
int64_t display_width(std::string_view text);

constexpr bool is_ascii_digit(char32_t point) { return point >= U'0' && point <= U'9'; }

}  // namespace glass
