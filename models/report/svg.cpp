#include "models/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "models/report/color_scale.h"
#include "models/report/fonts.h"
#include "models/report/label.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr int kShadeClasses = 64;  // colours of a map inside a page: classes h0 … h64
constexpr int64_t kLongest = 18;   // columns of a label; more is cut
constexpr double kSlope = 0.7071;  // sine and cosine of the rotated labels
constexpr double kMargin = 12;     // around everything
constexpr double kBarWidth = 12;   // colour bar
constexpr int kBarSteps = 32;      // rectangles of the colour bar
constexpr double kBarTicks[] = {0, 0.5, 1};
constexpr double kTitleHeight = 30;  // when there is a title
constexpr double kMassFont = 11;     // of the rows' sums
constexpr double kAxisHeight = 20;   // when an axis has a name

// Width of a text in sans-serif letters: a safe guess, as no font is asked. One column is an ASCII
// letter, two are a CJK letter of one em.
double text_width(const std::string& text, double font) {
  return static_cast<double>(display_width(text)) * 0.58 * font;
}

std::vector<std::string> short_labels(const std::vector<std::string>& tokens) {
  std::vector<std::string> labels;
  std::ranges::transform(tokens, std::back_inserter(labels), [](const std::string& token) {
    return shorten(label_text(token), kLongest);
  });
  return labels;
}

double widest_label(const std::vector<std::string>& labels, double font) {
  double width = 0;
  for (const auto& label : labels) width = std::max(width, text_width(label, font));
  return width;
}

// Where things stand, in pixels.
struct SvgLayout {
  double cell_width, cell_height, font;
  bool rotated = false;  // source labels
  double left, top;      // corner of the cells
  double grid_width, grid_height;
  double mass_width = 0;  // of the sums beside the rows
  double bar_height, bar_width;
  double width, height;  // of the picture
};

SvgLayout lay_out_svg(const AttentionMap& map, const std::vector<std::string>& source,
                      const std::vector<std::string>& target, const ValueRange& range, bool bar) {
  SvgLayout l;
  const auto columns = static_cast<double>(source.size());
  const auto rows = static_cast<double>(target.size());
  const double most = std::max(columns, rows);
  l.cell_height = most <= 12 ? 36 : most <= 24 ? 26 : most <= 48 ? 19 : 14;
  l.font = std::clamp(0.62 * l.cell_height, 10.0, 16.0);
  const double word = widest_label(source, l.font);
  const double wide = std::max(word + 14, l.cell_height);
  l.rotated = word > l.cell_height && (wide > 110 || wide * columns > 640);
  l.cell_width = l.rotated || word <= l.cell_height ? l.cell_height : wide;
  l.grid_width = l.cell_width * columns;
  l.grid_height = l.cell_height * rows;
  if (!row_masses(map).empty()) l.mass_width = 8 + text_width("Σ 0.00", kMassFont);
  const double head = l.rotated ? word * kSlope + l.font : l.font + 8;
  const double names = map.target_name.empty() ? 0 : kAxisHeight;
  const double name = map.target_name.empty() ? 0 : text_width("← " + map.target_name, 12);
  l.left = kMargin + names + widest_label(target, l.font) + 8;
  l.top = kMargin + (map.title.empty() ? 0 : kTitleHeight) +
          (map.source_name.empty() ? 0 : kAxisHeight) + head;
  l.bar_height = std::clamp(l.grid_height, 60.0, 240.0);
  double bar_labels = 10;
  for (double part : kBarTicks) {
    bar_labels = std::max(bar_labels, text_width(number_text(range.at(part), 3), 12) + 6);
  }
  l.bar_width = l.mass_width + kMargin + 4 + kBarWidth + bar_labels;
  const double overhang = l.rotated ? word * kSlope : 0;  // of the last rotated label
  const double title = kMargin + text_width(shorten(map.title, 80), 16) + kMargin;
  const double right = std::max({overhang, l.mass_width, bar ? l.bar_width : 0});
  l.width = std::max(title, l.left + l.grid_width + right + kMargin);
  l.height = l.top + std::max({l.grid_height, bar ? l.bar_height : 0, name}) + kMargin + 6;
  return l;
}

// Colours: written into the picture, or classes of the page.
class Ink {
 public:
  explicit Ink(bool standalone) : standalone_(standalone) {}
  std::string cell(double amount) const {
    if (standalone_) return fmt::format(R"(fill="{}")", hex(color_at(Palette::on_light, amount)));
    return fmt::format(R"(class="h{}")", std::lround(kShadeClasses * amount));
  }
  std::string number(double amount) const {
    if (!standalone_) return amount > 0.5 ? R"(class="hi")" : R"(class="lo")";
    return amount > 0.5 ? R"(fill="#ffffff")" : R"(fill="#1d2b45")";
  }
  std::string text() const { return standalone_ ? R"(fill="#1c2330")" : R"(class="ink")"; }
  std::string faint() const { return standalone_ ? R"(fill="#68707f")" : R"(class="faint")"; }
  std::string line() const {
    return standalone_ ? R"(fill="none" stroke="#c4cad4")" : R"(class="frame")";
  }

 private:
  bool standalone_;
};

std::string text_at(double x, double y, const std::string& attributes, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", pixels(x), pixels(y), attributes,
                     escape_xml(text));
}

std::string rotated(int degrees, double x, double y) {
  return fmt::format("transform=\"rotate({} {} {})\"", degrees, pixels(x), pixels(y));
}

std::string heading(const AttentionMap& map, const SvgLayout& l, const Ink& ink) {
  std::string out;
  if (!map.title.empty()) {
    out += text_at(kMargin, kMargin + 15, R"(font-size="16" font-weight="600" )" + ink.text(),
                   shorten(clean_text(map.title), 80));
  }
  if (!map.source_name.empty()) {
    const double y = kMargin + (map.title.empty() ? 0 : kTitleHeight) + 11;
    out += text_at(l.left, y, R"(font-size="12" )" + ink.faint(), map.source_name + " →");
  }
  if (!map.target_name.empty()) {
    const double x = kMargin + 10;
    out +=
        text_at(x, l.top,
                R"(font-size="12" text-anchor="end" )" + rotated(-90, x, l.top) + " " + ink.faint(),
                "← " + map.target_name);
  }
  return out;
}

std::string axis_labels(const std::vector<std::string>& source,
                        const std::vector<std::string>& target, const SvgLayout& l,
                        const Ink& ink) {
  std::string out = fmt::format("<g font-size=\"{}\" {}>\n", pixels(l.font), ink.text());
  for (size_t s = 0; s < source.size(); ++s) {
    const double x = l.left + (static_cast<double>(s) + 0.5) * l.cell_width;
    const double y = l.top - 7;
    const double shift = l.rotated ? x + 0.35 * l.font : x;
    out +=
        text_at(shift, y, l.rotated ? rotated(-45, shift, y) : "text-anchor=\"middle\"", source[s]);
  }
  for (size_t t = 0; t < target.size(); ++t) {
    const double y = l.top + (static_cast<double>(t) + 0.5) * l.cell_height + 0.35 * l.font;
    out += text_at(l.left - 8, y, R"(text-anchor="end")", target[t]);
  }
  return out + "</g>\n";
}

std::string cell(double x, double y, double value, double amount, const std::string& tip,
                 const SvgLayout& l, const Ink& ink) {
  const bool number = std::isfinite(value);
  std::string out =
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {}><title>{}</title></rect>)",
                  pixels(x), pixels(y), pixels(l.cell_width), pixels(l.cell_height),
                  number ? ink.cell(amount) : R"(fill="#9aa1ad" fill-opacity="0.45")", tip);
  if (!number) {
    out += fmt::format(R"(<path d="M{0} {2}L{1} {3}M{1} {2}L{0} {3}" stroke="#68707f"/>)",
                       pixels(x + 4), pixels(x + l.cell_width - 4), pixels(y + 4),
                       pixels(y + l.cell_height - 4));
    return out + "\n";
  }
  const std::string written = fmt::format("{:.2f}", value);
  const double font = std::min(13.0, 0.36 * l.cell_height);
  if (written != "0.00" && l.cell_width >= 36 && text_width(written, font) <= l.cell_width) {
    const std::string place =
        fmt::format(R"(font-size="{}" text-anchor="middle" pointer-events="none" )", pixels(font));
    return out + text_at(x + l.cell_width / 2, y + l.cell_height / 2 + 0.35 * font,
                         place + ink.number(amount), written);
  }
  return out + "\n";
}

std::string cells(const AttentionMap& map, const ValueRange& range, const SvgLayout& l,
                  const Ink& ink) {
  std::string out = "<g shape-rendering=\"crispEdges\">\n";
  for (size_t t = 0; t < map.target.size(); ++t) {
    for (size_t s = 0; s < map.source.size(); ++s) {
      const double value = map.weights[t][s];
      const std::string tip = escape_xml(fmt::format(
          "{} ← {}: {}", label_text(map.target[t]), label_text(map.source[s]), number_text(value)));
      out += cell(l.left + static_cast<double>(s) * l.cell_width,
                  l.top + static_cast<double>(t) * l.cell_height, value, range.amount(value), tip,
                  l, ink);
    }
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", pixels(l.left),
                     pixels(l.top), pixels(l.grid_width), pixels(l.grid_height), ink.line());
  return out + "</g>\n";
}

// Σ of each row, where rows lose some of it.
std::string row_sums(const AttentionMap& map, const SvgLayout& l, const Ink& ink) {
  std::string out;
  const std::vector<double> masses = row_masses(map);
  for (size_t t = 0; t < masses.size(); ++t)
    out += text_at(l.left + l.grid_width + 8,
                   l.top + (static_cast<double>(t) + 0.5) * l.cell_height + 0.35 * kMassFont,
                   fmt::format("font-size=\"{}\" {}", pixels(kMassFont), ink.faint()),
                   fmt::format("Σ {:.2f}", masses[t]));
  return out;
}

std::string color_bar(const ValueRange& range, const SvgLayout& l, const Ink& ink) {
  const double x = l.left + l.grid_width + l.mass_width + kMargin + 4;
  std::string out = "<g shape-rendering=\"crispEdges\">\n";
  for (int i = 0; i < kBarSteps; ++i) {
    const double y = l.top + l.bar_height * i / kBarSteps;
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", pixels(x),
                       pixels(y), pixels(kBarWidth), pixels(l.bar_height / kBarSteps + 0.5),
                       ink.cell(1 - (i + 0.5) / kBarSteps));
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n</g>\n", pixels(x),
                     pixels(l.top), pixels(kBarWidth), pixels(l.bar_height + 0.5), ink.line());
  const std::string attributes = R"(font-size="12" )" + ink.faint();
  for (double part : kBarTicks) {
    out += text_at(x + kBarWidth + 6, l.top + l.bar_height * (1 - part) + (part < 1 ? 4 : 9),
                   attributes, number_text(range.at(part), 3));
  }
  return out;
}

// A map without its surroundings.
struct Picture {
  SvgLayout layout;
  std::string body;
};

Picture draw_map(const AttentionMap& map, const ValueRange& range, const HeatMapStyle& style,
                 bool bar) {
  const auto source = short_labels(map.source), target = short_labels(map.target);
  const SvgLayout l = lay_out_svg(map, source, target, range, bar);
  const Ink ink(style.standalone);
  return {l, heading(map, l, ink) + axis_labels(source, target, l, ink) +
                 cells(map, range, l, ink) + row_sums(map, l, ink) +
                 (bar ? color_bar(range, l, ink) : "")};
}

std::string file_of(double width, double height, const std::string& title, const std::string& body,
                    const HeatMapStyle& style) {
  const std::string name = escape_xml(title.empty() ? "attention weights" : title);
  std::string out = fmt::format(
      "<svg {0}viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" role=\"img\" "
      "aria-label=\"{3}\" font-family=\"{4}\">\n",
      style.standalone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "", pixels(std::ceil(width)),
      pixels(std::ceil(height)), name, kSansFonts);
  if (style.standalone) {
    out += "<title>" + name + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  }
  return out + body + "</svg>\n";
}

}  // namespace

std::string heat_map_svg(const AttentionMap& map, const HeatMapStyle& style) {
  check_sizes("heat_map_svg", map);
  const Picture picture = draw_map(map, range_of(map.weights), style, true);
  return file_of(picture.layout.width, picture.layout.height, map.title, picture.body, style);
}

std::string heat_map_grid_svg(const std::vector<AttentionMap>& maps, size_t columns,
                              const HeatMapStyle& style) {
  if (maps.empty() || columns == 0)
    fail("heat_map_grid_svg", "needs at least one map and one column", maps.size(), " maps, ",
         columns, " columns");
  columns = std::min(columns, maps.size());
  std::vector<std::vector<double>> all;
  std::string title;
  for (const AttentionMap& map : maps) {
    check_sizes("heat_map_grid_svg", map);
    all.insert(all.end(), map.weights.begin(), map.weights.end());
    if (!map.title.empty()) title += (title.empty() ? "" : ", ") + map.title;
  }
  const ValueRange range = range_of(all);
  const auto fits = [&](size_t in_a_row) {
    double widest_row = 0, width = 0;
    for (size_t i = 0; i < maps.size(); ++i) {
      width = (i % in_a_row == 0 ? 0 : width) +
              draw_map(maps[i], range, style, (i + 1) % in_a_row == 0).layout.width;
      widest_row = std::max(widest_row, width);
    }
    return style.max_width <= 0 || widest_row <= style.max_width;
  };
  while (columns > 1 && !fits(columns)) --columns;
  std::vector<Picture> pictures;
  std::vector<double> widths(columns, 0), heights((maps.size() + columns - 1) / columns, 0);
  for (size_t i = 0; i < maps.size(); ++i) {
    pictures.push_back(draw_map(maps[i], range, style, i + 1 == columns));  // the bar: at the right
    const SvgLayout& l = pictures.back().layout;
    widths[i % columns] = std::max(widths[i % columns], l.width);
    heights[i / columns] = std::max(heights[i / columns], l.height);
  }
  std::string body;
  double x = 0, y = 0;
  for (size_t i = 0; i < maps.size(); ++i) {
    body += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", pixels(x), pixels(y),
                        pictures[i].body);
    x += widths[i % columns];
    if (i % columns + 1 < columns) continue;
    y += heights[i / columns];
    x = 0;
  }
  const double width = std::accumulate(widths.begin(), widths.end(), 0.0);
  return file_of(width, std::accumulate(heights.begin(), heights.end(), 0.0), title, body, style);
}

std::string heat_map_css() {
  std::string light, dark;
  for (int i = 0; i <= kShadeClasses; ++i) {
    const double amount = static_cast<double>(i) / kShadeClasses;
    light += fmt::format(".h{}{{fill:{}}}", i, hex(color_at(Palette::on_light, amount)));
    dark += fmt::format(".h{}{{fill:{}}}", i, hex(color_at(Palette::on_dark, amount)));
  }
  light += ".lo{fill:#1d2b45}.hi{fill:#fff}";
  dark += ".lo{fill:#d5deee}.hi{fill:#101728}";
  return light + "\n@media screen and (prefers-color-scheme:dark){" + dark + "}\n";
}

}  // namespace glass
