#pragma once

#include <string>
#include <vector>

namespace glass {

/// Points in the order they are joined. A point that is not finite (or past ±1e300) leaves a gap.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};

struct LinePlot {
  std::string title, x_name;
  std::vector<Curve> curves;
  bool log_y = false;  ///< values that are not above 0 leave a gap
};

/// Curves over round axes with a legend, as SVG for a page that has line_plot_css(), or standalone:
/// a file of its own on a white ground. Each point tells its values under the pointer. Without any
/// point: the axes with "no data". Throws Error when a curve has not as many x as y.
std::string line_plot_svg(const LinePlot& plot, bool standalone = false);

/// The style sheet of line plots.
std::string line_plot_css();

}  // namespace glass
