#include "models/report/plot.h"

#include <cmath>
#include <limits>

#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/report/xml_check.h"

using namespace glass;
using namespace glass::tests;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

}  // namespace

TEST_CASE("a plot has its names, its ticks and a mark per point", "[report]") {
  const std::string svg = line_plot_svg(
      {"Loss <per token>",
       "step",
       {{"train", {0, 500, 1000}, {2, 1, 0.5}}, {"valid & test", {0, 500, 1000}, {2.5, 1.5, 1}}}});
  CHECK(xml_problem(svg) == "");
  CHECK(count(svg, ">Loss &lt;per token&gt;</text>") == 1);
  CHECK(count(svg, ">train</text>") == 1);
  CHECK(count(svg, ">valid &amp; test</text>") == 1);
  CHECK(count(svg, ">step</text>") == 1);
  CHECK(count(svg, "<g class=\"mark s0\">") == 3);
  CHECK(count(svg, "<g class=\"mark s1\">") == 3);
  CHECK(count(svg, "<title>step 500, train: 1</title>") == 1);
  CHECK(count(svg, "<title>step 1000, valid &amp; test: 1</title>") == 1);
  CHECK(count(svg, ">0.5</text>") == 1);  // ticks 0.0, 0.5, …, 2.5
  CHECK(count(svg, ">2.5</text>") == 1);
}

TEST_CASE("steps and tokens have whole ticks", "[report]") {
  const std::string svg = line_plot_svg({"", "tokens", {{"c", {1.5, 4.5, 6}, {1, 1, 1}}}});
  for (const char* whole : {">2</text>", ">4</text>", ">6</text>"}) CHECK(count(svg, whole) == 1);
  const std::string few = line_plot_svg({"", "tokens", {{"c", {1, 2, 3}, {1, 1, 1}}}});
  CHECK(count(few, ">2</text>") == 1);
  CHECK(count(few, ">1.5</text>") + count(few, ">2.5</text>") == 0);
}

TEST_CASE("points stand where the axes say", "[report]") {
  // Axes from x 62 to 622 and y 254 up to 46; the y axis ends 2 % above the highest point.
  const std::string svg = line_plot_svg({"", "x", {{"c", {0, 5, 10}, {0, 102, 51}}}});
  CHECK(count(svg, "d=\"M62 254L342 50.1L622 152\"") == 1);
}

TEST_CASE("a logarithmic plot puts equal factors at equal distances", "[report]") {
  const std::string svg = line_plot_svg({"", "x", {{"c", {0, 5, 10}, {1, 0.1, 0.01}}}, true});
  // Logarithms 0, -1, -2 on an axis from -2.05 to 0.05: 208 pixels for 2.1.
  CHECK(count(svg, "d=\"M62 51L342 150L622 249\"") == 1);
  CHECK(count(svg, "logarithmic") == 1);
  CHECK(count(svg, ">0.01</text>") == 1);
}

TEST_CASE("points that cannot be drawn leave gaps", "[report]") {
  const std::string svg = line_plot_svg({"", "x", {{"c", {0, 1, 2, 3, 4}, {1, 1, kNan, kInf, 1}}}});
  CHECK(xml_problem(svg) == "");
  CHECK(count(svg, "<g class=\"mark") == 3);
  CHECK(count(svg, "d=\"M62 50.1L202 50.1M622 50.1\"") == 1);
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf") == 0);
  const std::string log = line_plot_svg({"", "x", {{"c", {0, 1, 2, 3}, {1, 0, -1, 0.5}}}, true});
  CHECK(count(log, "<g class=\"mark") == 2);
  CHECK(count(log, "nan") == 0);
}

TEST_CASE("plots without data, with one point, with equal or huge values", "[report]") {
  const double most = std::numeric_limits<double>::max();
  for (bool log : {false, true}) {
    for (const auto& curves : std::vector<std::vector<Curve>>{
             {},
             {{"c", {}, {}}},
             {{"c", {7}, {kNan}}},
             {{"c", {7}, {3}}},
             {{"c", {1, 2, 3}, {0, 0, 0}}},
             {{"c", {1, 2}, {-5, -5}}},
             {{"c", {1, 2}, {most, 1}}},
             {{"c", {-most, most}, {-most, most}}},
             {{"c", {0, 5e-324}, {5e-324, 0}}},
         }) {
      const std::string svg = line_plot_svg({"t", "x", curves, log});
      INFO(svg);
      CHECK(xml_problem(svg) == "");
      CHECK(count(svg, "nan") == 0);
      CHECK(count(svg, "inf") == 0);
    }
  }
  CHECK(count(line_plot_svg({"t", "x", {{"c", {7}, {kNan}}}}), ">no data</text>") == 1);
}

TEST_CASE("a long curve keeps its shape but not a mark for every point", "[report]") {
  Curve curve{"c", {}, {}};
  for (int i = 0; i < 5000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(std::sin(i * 0.01));
  }
  const std::string svg = line_plot_svg({"", "x", {curve}});
  CHECK(count(svg, "<g class=\"mark") <= 201);
  CHECK(count(svg, "x 4999, c: ") == 1);  // the last point is always marked
}

TEST_CASE("a curve with too few y is refused", "[report]") {
  CHECK_THROWS_WITH(line_plot_svg({"", "x", {{"train", {1, 2}, {1}}}}),
                    "line_plot_svg: need as many x as y: 2 and 1 in train");
}
