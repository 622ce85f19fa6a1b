#include "models/text/utf8.h"

#include <algorithm>

#include "tests/catch.h"

using namespace glass;

namespace {

// Bytes written as numbers, so that none is lost to the end of a string.
std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (int value : values) out.push_back(static_cast<char>(value));
  return out;
}

constexpr char32_t R = 0xFFFD;

}  // namespace

TEST_CASE("UTF-8 of one to four bytes decodes and encodes", "[text]") {
  const std::u32string points = {0x00,   'a',    0x7F,   0x80,    0x7FF,   0x800,
                                 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
  const std::string encoded =
      bytes({0x00, 'a',  0x7F, 0xC2, 0x80, 0xDF, 0xBF, 0xE0, 0xA0, 0x80, 0xED, 0x9F, 0xBF, 0xEE,
             0x80, 0x80, 0xEF, 0xBF, 0xBF, 0xF0, 0x90, 0x80, 0x80, 0xF4, 0x8F, 0xBF, 0xBF});
  CHECK(encode_utf8(points) == encoded);
  CHECK(decode_utf8(encoded) == points);
  CHECK(repair_utf8(encoded).text == encoded);
  CHECK(repair_utf8(encoded).replaced == 0);
  CHECK(decode_utf8("").empty());
}

TEST_CASE("each maximal ill-formed subpart becomes one replacement character", "[text]") {
  // The first four rows are tables 3-8 to 3-11 of the Unicode Standard.
  struct Row {
    std::string bad;
    std::u32string expected;
  };
  const std::vector<Row> rows = {
      {bytes({0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41}),
       {R, R, R, R, R, R, R, R, 'A'}},
      {bytes({0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF, 0xED, 0xAF, 0x41}),
       {R, R, R, R, R, R, R, R, 'A'}},
      {bytes({0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42}),
       {R, R, R, R, R, 'A', R, R, 'B'}},
      {bytes({0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41}), {R, R, R, R, 'A'}},
      {bytes({0x61, 0xF1, 0x80, 0x80, 0xE1, 0x80, 0xC2, 0x62, 0x80, 0x63, 0x80, 0xBF, 0x64}),
       {'a', R, R, R, 'b', R, 'c', R, R, 'd'}},
      {bytes({0xE4, 0xB8}), {R}},
      {bytes({0xF0, 0x9F, 0x98}), {R}},
      {bytes({0xC1, 0xBF}), {R, R}},
      {bytes({0xF5, 0x80}), {R, R}},
  };
  for (const Row& row : rows) {
    CHECK(decode_utf8(row.bad) == row.expected);
    const RepairedText repaired = repair_utf8(row.bad);
    CHECK(decode_utf8(repaired.text) == row.expected);
    CHECK(repaired.replaced == std::count(row.expected.begin(), row.expected.end(), R));
  }
}

TEST_CASE("a replacement character that was there already is not counted as bad", "[text]") {
  const RepairedText repaired = repair_utf8("a\xEF\xBF\xBD");
  CHECK(repaired.replaced == 0);
  CHECK(repaired.text == "a\xEF\xBF\xBD");
}

TEST_CASE("code points that UTF-8 cannot hold are encoded as U+FFFD", "[text]") {
  CHECK(encode_utf8(char32_t{0xD800}) == "\xEF\xBF\xBD");
  CHECK(encode_utf8(char32_t{0xDFFF}) == "\xEF\xBF\xBD");
  CHECK(encode_utf8(char32_t{0x110000}) == "\xEF\xBF\xBD");
}

TEST_CASE("characters are code points", "[text]") {
  CHECK(characters("aé三😀") == std::vector<std::string>{"a", "é", "三", "😀"});
  CHECK(characters("a\xFF") == std::vector<std::string>{"a", "\xEF\xBF\xBD"});
}

TEST_CASE("trim drops Unicode white space at the ends only", "[text]") {
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim("\u3000三 月\u00A0") == "三 月");
  CHECK(trim(" \u2003 ").empty());
  CHECK(trim("").empty());
  CHECK(trim("\xFFx ") == "\xFFx");
  CHECK(trim("\u200Bx") == "\u200Bx");  // a zero-width space is no white space
}

TEST_CASE("display width counts terminal columns", "[text]") {
  CHECK(display_width("March") == 5);
  CHECK(display_width("1998年3月3日") == 12);
  CHECK(display_width("，（）") == 6);
  CHECK(display_width("ＡＢ") == 4);                // full-width letters
  CHECK(display_width("ｱ") == 1);                   // half-width katakana
  CHECK(display_width("한국어") == 6);              // Hangul syllables
  CHECK(display_width("\u1112\u1161\u11AB") == 2);  // the same as three conjoining letters
  CHECK(display_width("e\u0301") == 1);             // e and a combining acute
  CHECK(display_width("か\u3099") == 2);            // ka and a combining voice mark
  CHECK(display_width("😀") == 2);
  CHECK(display_width("𠀀") == 2);     // a letter beyond the first plane
  CHECK(display_width("é—…“”") == 5);  // ambiguous ones are narrow
  CHECK(display_width("a\u200Bb") == 2);
  CHECK(display_width("\u0001\u007F") == 0);
  CHECK(display_width("") == 0);
  CHECK(display_width("\xFF\xFE") == 2);  // two replacement characters
}
