#include "models/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "models/report/color_scale.h"
#include "models/report/label.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

constexpr int64_t kLeastWidth = 20;
constexpr int64_t kWidestWord = 14;   // columns of a source word that is written on one line
constexpr int64_t kShortWord = 8;     // columns that long words may be cut to
constexpr int64_t kTallestWord = 12;  // letters of a source word that is written downwards
constexpr int64_t kMassWidth = 7;     // of " Σ 0.60" behind the rows
constexpr int64_t kNumbered = 7;      // columns of a cell with its weight in it, "▓▓ 0.60"

constexpr const char* kShades[] = {"·", "░", "▒", "▓", "█"};
constexpr double kFrom[] = {0, 0.05, 0.25, 0.5, 0.75};  // least amount of each shade

std::string blanks(int64_t count) {
  return std::string(static_cast<size_t>(std::max<int64_t>(count, 0)), ' ');
}

std::string pad_right(const std::string& text, int64_t width) {
  return text + blanks(width - display_width(text));
}

std::string pad_left(const std::string& text, int64_t width) {
  return blanks(width - display_width(text)) + text;
}

std::string centred(const std::string& text, int64_t width) {
  return pad_right(blanks((width - display_width(text)) / 2) + text, width);
}

std::string without_end_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string repeated(const std::string& text, int64_t times) {
  std::string out;
  for (int64_t i = 0; i < times; ++i) out += text;
  return out;
}

int64_t widest(const std::vector<std::string>& labels) {
  int64_t width = 0;
  for (const auto& label : labels) width = std::max(width, display_width(label));
  return width;
}

// The letters of a label, each with its combining marks.
std::vector<std::string> letters_of(const std::string& label) {
  std::vector<std::string> letters;
  for (char32_t point : decode_utf8(label)) {
    if (letters.empty() || display_width(point) > 0) letters.emplace_back();
    letters.back() += encode_utf8(point);
  }
  return letters;
}

int64_t most_letters(const std::vector<std::string>& labels) {
  size_t letters = 1;
  for (const auto& label : labels) letters = std::max(letters, letters_of(label).size());
  return static_cast<int64_t>(letters);
}

std::vector<std::string> labels_of(const std::vector<std::string>& tokens) {
  std::vector<std::string> labels;
  std::ranges::transform(tokens, std::back_inserter(labels), label_text);
  return labels;
}

const char* shade(double amount) {
  const auto above = std::upper_bound(std::begin(kFrom), std::end(kFrom), amount + 1e-9);
  return kShades[above - std::begin(kFrom) - 1];
}

// Of xterm's 256 colours, those that climb as Palette::on_dark does.
constexpr int kRamp[] = {235, 17, 18, 19, 25, 26, 32, 38, 45, 81, 117, 159, 195};

// ESC [ 38 (letters) or 48 (ground) ; colour m
std::string paint(TerminalColor kind, int ground, double amount) {
  if (kind == TerminalColor::palette_256) {
    const auto index = std::lround(amount * static_cast<double>(std::size(kRamp) - 1));
    return fmt::format("\x1b[{};5;{}m", ground, kRamp[index]);
  }
  const Rgb c = color_at(Palette::on_dark, amount);
  return fmt::format("\x1b[{};2;{};{};{}m", ground, c.r, c.g, c.b);
}

// Where things stand, in columns.
struct Layout {
  int64_t label = 1;      // target labels
  int64_t cell = 2;       // one source token, gap included
  int64_t gap = 0;        // blank columns between cells
  int64_t head = 1;       // lines of source labels
  int64_t per_block = 1;  // source tokens side by side
};

Layout lay_out(const std::vector<std::string>& source, const std::vector<std::string>& target,
               int64_t width) {
  Layout l;
  const auto count = static_cast<int64_t>(source.size());
  l.label = std::clamp<int64_t>(widest(target), 1, width / 3);
  const int64_t room = width - l.label - 1;
  const int64_t letters = most_letters(source), word = std::min(widest(source), kWidestWord);
  // Of a cell when all words stand in one line, the longest of them cut if need be.
  const int64_t fair = count > 0 ? (room + 1) / count - 1 : 0;
  if (letters == 1) {
    // Letters, directly side by side; narrow when that saves a second block.
    if (widest(source) == 1 && count * 2 > room && count <= room) l.cell = 1;
  } else if (fair >= std::min(word, kShortWord)) {
    l.cell = std::min(std::max(word, kNumbered), fair) + 1;
    l.gap = 1;
  } else {
    l.head = std::min(letters, kTallestWord);
  }
  l.per_block = std::max<int64_t>(1, (room + l.gap) / l.cell);
  return l;
}

// One cell without its gap.
std::string cell_text(double value, const ValueRange& range, const Layout& l, TerminalColor color) {
  const int64_t width = l.cell - l.gap;
  if (!std::isfinite(value)) return centred("?", width);
  const double amount = range.amount(value);
  const std::string number = fmt::format("{:.2f}", value);
  const bool numbered = static_cast<int64_t>(number.size()) + 3 <= width;
  if (color == TerminalColor::none) {
    if (numbered) return centred(repeated(shade(amount), 2) + " " + number, width);
    return amount < kFrom[1] ? centred(kShades[0], width) : repeated(shade(amount), width);
  }
  const std::string content = numbered ? centred(number, width) : blanks(width);
  return paint(color, 48, amount) + paint(color, 38, amount < 0.5 ? 1 : 0) + content + "\x1b[0m";
}

// Line `line` of a source label that is written downwards and ends in the last line.
std::string letter(const std::string& label, int64_t line, int64_t lines) {
  const auto letters = letters_of(label);
  const auto count = static_cast<int64_t>(letters.size());
  if (count > lines && line == lines - 1) return "⋮";
  const int64_t at = line - std::max<int64_t>(lines - count, 0);
  return at < 0 ? "" : letters[static_cast<size_t>(at)];
}

std::string head_lines(const std::vector<std::string>& source, size_t from, size_t to,
                       const Layout& l) {
  std::string out;
  for (int64_t line = 0; line < l.head; ++line) {
    std::string row = blanks(l.label + 1);
    for (size_t s = from; s < to; ++s) {
      const std::string text =
          l.head > 1 ? letter(source[s], line, l.head) : shorten(source[s], l.cell - l.gap);
      row += l.gap > 0 ? centred(text, l.cell - 1) + " " : pad_right(text, l.cell);
    }
    out += without_end_blanks(std::move(row)) + "\n";
  }
  return out;
}

std::string legend(const ValueRange& range, int64_t indent, int64_t width, TerminalColor color) {
  const std::string low = number_text(range.low), high = number_text(range.high);
  const auto indented = [&](const std::string& line, int64_t columns) {
    return (indent + columns <= width ? blanks(indent) : "") + line + "\n";
  };
  if (color != TerminalColor::none) {
    std::string bar;
    for (int i = 0; i < 8; ++i) bar += paint(color, 48, i / 7.0) + " ";
    const auto columns = static_cast<int64_t>(low.size() + high.size()) + 10;
    return indented(low + " " + bar + "\x1b[0m " + high, columns);
  }
  std::string line = "· " + low;
  for (size_t i = 1; i < std::size(kShades); ++i) {
    line += fmt::format("  {} ≥{}", kShades[i], number_text(range.at(kFrom[i]), 3));
  }
  if (display_width(line) > width) line = low + " ·░▒▓█ " + high;
  return indented(line, display_width(line));
}

}  // namespace

std::string terminal_heat_map(const AttentionMap& map, const TerminalStyle& style) {
  check_sizes("terminal_heat_map", map);
  const int64_t width = std::max(style.width, kLeastWidth);
  std::string out;
  if (!map.title.empty()) out += shorten(clean_text(map.title), width) + "\n";
  if (map.source.empty() || map.target.empty()) {
    return out + fmt::format("(no weights: {} × {})\n", map.target.size(), map.source.size());
  }
  const auto source = labels_of(map.source), target = labels_of(map.target);
  const ValueRange range = range_of(map.weights);
  const std::vector<double> masses = row_masses(map);
  const Layout l = lay_out(source, target, width - (masses.empty() ? 0 : kMassWidth));
  for (size_t from = 0; from < source.size(); from += static_cast<size_t>(l.per_block)) {
    const size_t to = std::min(source.size(), from + static_cast<size_t>(l.per_block));
    if (from > 0) out += "\n";
    out += head_lines(source, from, to, l);
    for (size_t t = 0; t < target.size(); ++t) {
      std::string row = pad_left(shorten(target[t], l.label), l.label) + " ";
      for (size_t s = from; s < to; ++s) {
        row += cell_text(map.weights[t][s], range, l, style.color) + blanks(l.gap);
      }
      if (!masses.empty() && to == source.size()) row += fmt::format(" Σ {:.2f}", masses[t]);
      out += without_end_blanks(std::move(row)) + "\n";
    }
  }
  return out + legend(range, l.label + 1, width, style.color);
}

}  // namespace glass
