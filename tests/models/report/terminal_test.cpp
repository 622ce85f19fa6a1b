#include "models/report/terminal.h"

#include <algorithm>
#include <sstream>

#include "models/text/utf8.h"
#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/report/maps.h"
#include "tests/models/report/xml_check.h"

using namespace glass;
using namespace glass::tests;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Without ESC [ … m.
std::string without_colors(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

int64_t widest_line(const std::string& text) {
  int64_t width = 0;
  for (const auto& line : lines(without_colors(text))) {
    width = std::max(width, display_width(line));
  }
  return width;
}

}  // namespace

TEST_CASE("few words stand above their columns with the weights beside the shades", "[report]") {
  CHECK(terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::none}) ==
        "Tom Chase Jerry → 汤姆追逐杰瑞\n"
        "       Tom    Chase   Jerry\n"
        "汤姆 ▓▓ 0.60 ░░ 0.20 ░░ 0.20\n"
        "追逐 ░░ 0.20 ▓▓ 0.70 ░░ 0.10\n"
        "杰瑞 ▒▒ 0.30 ░░ 0.20 ▓▓ 0.50\n"
        "     · 0  ░ ≥0.05  ▒ ≥0.25  ▓ ≥0.5  █ ≥0.75\n");
}

TEST_CASE("Chinese words stand in the middle of their columns", "[report]") {
  const AttentionMap map{{"汤姆", "追"}, {"Tom", "J"}, {{0.6, 0.4}, {0.1, 0.9}}, ""};
  CHECK(terminal_heat_map(map, {80, TerminalColor::none}) ==
        "     汤姆     追\n"
        "Tom ▓▓ 0.60 ▒▒ 0.40\n"
        "  J ░░ 0.10 ██ 0.90\n"
        "    · 0  ░ ≥0.05  ▒ ≥0.25  ▓ ≥0.5  █ ≥0.75\n");
}

TEST_CASE("letters stand directly above their cells, Chinese ones too", "[report]") {
  const AttentionMap latin{{"a", " ", "b"}, {"x", "汤"}, {{1, 0, 0.5}, {0, 0.75, 0.3}}, ""};
  CHECK(terminal_heat_map(latin, {80, TerminalColor::none}) ==
        "   a ␣ b\n"
        " x ██· ▓▓\n"
        "汤 · ██▒▒\n"
        "   · 0  ░ ≥0.05  ▒ ≥0.25  ▓ ≥0.5  █ ≥0.75\n");
  const AttentionMap chinese{{"三", "月", "3"}, {"0", "3"}, {{1, 0, 0}, {0, 0, 1}}, ""};
  CHECK(terminal_heat_map(chinese, {80, TerminalColor::none}) ==
        "  三月3\n"
        "0 ██· ·\n"
        "3 · · ██\n"
        "  · 0  ░ ≥0.05  ▒ ≥0.25  ▓ ≥0.5  █ ≥0.75\n");
}

TEST_CASE("many words are written downwards", "[report]") {
  const AttentionMap map{{"we", "a", "cat", "汤姆", "e\u0301t", "abcdefghijklmnop", "z"},
                         {"t"},
                         {{1, 0, 0, 0, 0, 0, 1}},
                         ""};
  const auto rows = lines(terminal_heat_map(map, {24, TerminalColor::none}));
  REQUIRE(rows.size() == 14);
  CHECK(rows[0] == "            a");
  CHECK(rows[9] == "      c     j");
  CHECK(rows[10] == "  w   a 汤e\u0301 k");
  CHECK(rows[11] == "  e a t 姆t ⋮ z");
  CHECK(rows[12] == "t ██· · · · · ██");
}

TEST_CASE("a source that is too long goes on below", "[report]") {
  // 20 columns: label, blank, 9 cells of 2.
  const auto rows = lines(terminal_heat_map(letters(2, 20), {20, TerminalColor::none}));
  REQUIRE(rows.size() == 3 + 1 + 3 + 1 + 3 + 1);
  CHECK(rows[0] == "  a b c d e f g h i");
  CHECK(rows[3] == "");
  CHECK(rows[4] == "  j k l m n o p q r");
  CHECK(rows[8] == "  s t");
  CHECK(rows[11] == "  0 ·░▒▓█ 1");
  // Narrow cells where they save a second block.
  const auto narrow = lines(terminal_heat_map(letters(2, 20), {22, TerminalColor::none}));
  REQUIRE(narrow.size() == 4);
  CHECK(narrow[0] == "  abcdefghijklmnopqrst");
}

TEST_CASE("no line is wider than the terminal", "[report]") {
  AttentionMap sentence = letters(3, 9);
  sentence.source = {"I",      "would", "like", "to", "understand", "internationalization",
                     "国际化", ".",     "<eos>"};
  sentence.target = {"a very long target word indeed", "汤姆追逐杰瑞汤姆追逐杰瑞", "c"};
  sentence.title = "我想了解国际化 and a title that is by far too long for a narrow terminal";
  for (const auto& map : {sentence, letters(20, 60), tom_chases_jerry(), hostile()}) {
    for (auto color : {TerminalColor::none, TerminalColor::palette_256, TerminalColor::rgb}) {
      for (int64_t width : {20, 21, 33, 40, 64, 80, 200}) {
        INFO(map.title << " at " << width);
        CHECK(widest_line(terminal_heat_map(map, {width, color})) <= width);
      }
    }
  }
  CHECK(widest_line(terminal_heat_map(letters(3, 30), {-5, TerminalColor::none})) <= 20);
}

TEST_CASE("colours come only when asked for and are switched off again", "[report]") {
  const auto plain = terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::none});
  CHECK(count(plain, "\x1b") == 0);
  const auto rgb = terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::rgb});
  CHECK(count(rgb, "\x1b[48;2;") == 9 + 8);  // cells and legend
  CHECK(count(without_colors(rgb), "0.70") == 1);
  for (const auto& line : lines(rgb)) {
    if (count(line, "\x1b") > 0) CHECK(line.rfind("\x1b[0m") == line.rfind('\x1b'));
  }
  const auto few = terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::palette_256});
  CHECK(count(few, "\x1b[48;5;") == 9 + 8);
  CHECK(count(few, ";2;") == 0);
}

TEST_CASE("hostile words and weights stay harmless in a terminal", "[report]") {
  const auto text = terminal_heat_map(hostile(), {80, TerminalColor::none});
  CHECK(count(text, "\x1b") == 0);
  CHECK(count(text, "\x01") == 0);
  CHECK(count(text, "nan") == 0);
  CHECK(count(text, "inf") == 0);
  CHECK(count(text, "?") == 3 + 9);
  CHECK(repair_utf8(text).replaced == 0);
}

TEST_CASE("small, empty and equal maps", "[report]") {
  const TerminalStyle style{80, TerminalColor::none};
  CHECK(terminal_heat_map({{"a"}, {"x"}, {{1}}, ""}, style).starts_with("  a\nx ██\n"));
  CHECK(terminal_heat_map({{"a"}, {"x"}, {{0}}, ""}, style).starts_with("  a\nx ·  Σ 0.00\n"));
  CHECK(terminal_heat_map({{"a", "b"}, {}, {}, "none"}, style) == "none\n(no weights: 0 × 2)\n");
  CHECK(terminal_heat_map({}, style) == "(no weights: 0 × 0)\n");
  // Equal weights of 1/3 fill two thirds of a scale up to 0.5.
  const double third = 1.0 / 3;
  CHECK(terminal_heat_map({{"a", "b", "c"}, {"x"}, {{third, third, third}}, ""}, style)
            .starts_with("  a b c\nx ▓▓▓▓▓▓\n"));
}

TEST_CASE("a map whose sizes do not fit is refused", "[report]") {
  AttentionMap map = tom_chases_jerry();
  map.weights[1].pop_back();
  CHECK_THROWS_WITH(terminal_heat_map(map),
                    "terminal_heat_map: need one weight per source in every row: row 1 has 2 "
                    "weights for 3 sources");
  map.weights.pop_back();
  CHECK_THROWS_WITH(terminal_heat_map(map),
                    "terminal_heat_map: need one row of weights per target: 2 rows and 3 targets");
}

TEST_CASE("the same map in every locale", "[report]") {
  const auto text = terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::rgb});
  const CommaLocale comma;
  CHECK(terminal_heat_map(tom_chases_jerry(), {80, TerminalColor::rgb}) == text);
}
