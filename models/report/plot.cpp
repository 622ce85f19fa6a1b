#include "models/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/report/fonts.h"
#include "models/report/label.h"
#include "models/report/ticks.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr double kWidth = 640, kHeight = 300;
constexpr double kLeft = 62, kRight = 18, kTop = 46, kBottom = 46;  // margins around the axes
constexpr size_t kMostMarks = 200;                                  // points with a mark, per curve
constexpr double kMost = 1e300, kLeast = 1e-290;                    // sizes that are drawn
constexpr size_t kColors = 6;                                       // classes s0 … s5

// What every picture has, and the page's colours where there is no page.
constexpr const char* kShared = R"(.plot text{font-size:13px}
.plot .head{font-size:15px;font-weight:600}
.plot .grid{stroke:var(--rule);fill:none}
.plot .axis{stroke:var(--faint);fill:none}
.plot .line{fill:none;stroke:var(--line);stroke-width:2.2;stroke-linejoin:round;
stroke-linecap:round}
.mark{fill:var(--line)}
.mark .reach{fill-opacity:0}
.mark:hover .reach{fill-opacity:.22}
.s0{--line:#2563c9}.s1{--line:#d9622b}.s2{--line:#23864f}.s3{--line:#8a4fc4}.s4{--line:#b3862a}
.s5{--line:#5d6b7d}
)";
constexpr const char* kOnWhite =
    ".plot{--rule:#e3e7ed;--faint:#68707f}.faint{fill:#68707f}.ink{fill:#1c2330}\n";

struct AxisRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// One axis: values to pixels. Logarithmic axes hold logarithms.
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;
  std::vector<Tick> ticks;
  double at(double value) const {
    const double v = log ? std::log10(value) : value;
    return from + (to - from) * (v - low) / (high - low);
  }
};

// False for NaN, too.
bool drawable(const LinePlot& plot, double x, double y) {
  return std::abs(x) <= kMost && std::abs(y) <= kMost && (!plot.log_y || y >= kLeast);
}

Axis x_axis(AxisRange range) {
  if (range.empty()) range = {0, 1};
  if (range.low > 0 && range.low < range.high / 4) range.low = 0;  // steps count from 0
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= 1e-12 * size + kLeast) {
    range = {range.low - 0.1 * size - 1, range.high + 0.1 * size + 1};
  }
  return {range.low, range.high,
          kLeft,     kWidth - kRight,
          false,     nice_ticks(range.low, range.high, 5, 1)};  // steps and tokens are whole
}

// Linear axes of positive values start at 0, so that heights may be compared.
Axis y_axis(AxisRange range, bool log) {
  Axis axis;
  axis.from = kHeight - kBottom;
  axis.to = kTop;
  axis.log = log;
  if (range.empty()) range = {log ? 0.1 : 0, 1};
  if (log) {
    axis.ticks = log_ticks(range.low, range.high);
    axis.low = std::log10(range.low) - 0.05;
    axis.high = std::log10(range.high) + 0.05;
    return axis;
  }
  range.low = std::min(range.low, 0.0);
  range.high = std::max(range.high, 0.0);
  if (range.high - range.low < kLeast) range = {0, 1};
  const double room = 0.02 * (range.high - range.low);
  axis.low = range.low < 0 ? range.low - room : 0;
  axis.high = range.high > 0 ? range.high + room : 0;
  axis.ticks = nice_ticks(axis.low, axis.high);
  return axis;
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", kind, pixels(x1), pixels(y1),
                     pixels(x2), pixels(y2));
}

std::string words(double x, double y, const char* anchor, const std::string& kind,
                  const std::string& content) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                     pixels(x), pixels(y), anchor, kind, escape_xml(content));
}

std::string axes(const LinePlot& plot, const Axis& x, const Axis& y) {
  std::string out;
  for (const Tick& tick : y.ticks) {
    out += line(x.from, y.at(tick.value), x.to, y.at(tick.value), "grid");
    out += words(x.from - 8, y.at(tick.value) + 4, "end", "faint", tick.label);
  }
  out += line(x.from, y.from, x.to, y.from, "axis");
  for (const Tick& tick : x.ticks) {
    out += line(x.at(tick.value), y.from, x.at(tick.value), y.from + 5, "axis");
    out += words(x.at(tick.value), y.from + 19, "middle", "faint", tick.label);
  }
  const std::string name = plot.x_name + (plot.log_y ? "  (logarithmic scale upwards)" : "");
  return out + words((x.from + x.to) / 2, kHeight - 8, "middle", "faint", name);
}

std::string plot_legend(const LinePlot& plot) {
  std::string out;
  double x = kWidth - kRight;
  for (size_t i = plot.curves.size(); i-- > 0;) {
    const std::string name = shorten(clean_text(plot.curves[i].name), 28);
    x -= 7 * static_cast<double>(display_width(name));
    out += words(x, 22, "start", "ink", name);
    out += fmt::format("<path class=\"line s{}\" d=\"M{} 18h18\"/>\n", i % kColors, pixels(x - 26));
    x -= 42;
  }
  return out;
}

std::string draw_plot(const LinePlot& plot, size_t number, const Axis& x, const Axis& y) {
  const Curve& curve = plot.curves[number];
  const size_t stride = 1 + curve.x.size() / kMostMarks;
  std::string path, marks;
  bool pen_down = false;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    const bool visible = drawable(plot, curve.x[i], curve.y[i]);
    if (visible) {
      const std::string px = pixels(x.at(curve.x[i])), py = pixels(y.at(curve.y[i]));
      path += (pen_down ? "L" : "M") + px + " " + py;
      if (i % stride == 0 || i + 1 == curve.x.size()) {
        marks += fmt::format(
            "<g class=\"mark s{0}\"><title>{1} {2}, {3}: {4}</title><circle cx=\"{5}\" cy=\"{6}\" "
            "r=\"9\" class=\"reach\"/><circle cx=\"{5}\" cy=\"{6}\" r=\"2.6\"/></g>\n",
            number % kColors, escape_xml(plot.x_name), number_text(curve.x[i], 9),
            escape_xml(curve.name), number_text(curve.y[i], 5), px, py);
      }
    }
    pen_down = visible;
  }
  if (path.empty()) return "";
  return fmt::format("<path class=\"line s{}\" d=\"{}\"/>\n{}", number % kColors, path, marks);
}

}  // namespace

std::string line_plot_svg(const LinePlot& plot, bool standalone) {
  AxisRange xs, ys;
  for (const Curve& curve : plot.curves) {
    if (curve.x.size() != curve.y.size()) {
      fail("line_plot_svg", "need as many x as y", curve.x.size(), " and ", curve.y.size(), " in ",
           curve.name);
    }
    for (size_t i = 0; i < curve.x.size(); ++i) {
      if (!drawable(plot, curve.x[i], curve.y[i])) continue;
      xs.add(curve.x[i]);
      ys.add(curve.y[i]);
    }
  }
  const Axis x = x_axis(xs), y = y_axis(ys, plot.log_y);
  std::string out = fmt::format(
      "<svg {4}viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" class=\"plot\" role=\"img\" "
      "aria-label=\"{2}\" font-family=\"{3}\">\n",
      pixels(kWidth), pixels(kHeight), escape_xml(plot.title), kSansFonts,
      standalone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "");
  if (standalone)
    out += fmt::format("<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                       std::string(kOnWhite) + kShared);
  out +=
      words(kLeft - 40, 22, "start", "ink head", plot.title) + axes(plot, x, y) + plot_legend(plot);
  for (size_t i = 0; i < plot.curves.size(); ++i) out += draw_plot(plot, i, x, y);
  if (xs.empty()) out += words(kWidth / 2, kHeight / 2, "middle", "faint", "no data");
  return out + "</svg>\n";
}

std::string line_plot_css() {
  return kShared +
         std::string(
             R"(@media screen and (prefers-color-scheme:dark){.s0{--line:#6ea8ff}.s1{--line:#ff9a62}
.s2{--line:#58c58a}.s3{--line:#bf94f0}.s4{--line:#dfb95a}.s5{--line:#a6b2c2}}
)");
}

}  // namespace glass
