// Rows that lose some of their weight say how much is left.
#include <cmath>

#include "models/report/svg.h"
#include "models/report/terminal.h"
#include "tests/catch.h"
#include "tests/models/report/xml_check.h"

using namespace glass;
using namespace glass::tests;

namespace {

AttentionMap map_of(std::vector<std::vector<double>> weights) {
  AttentionMap map{{"a", "b"}, {}, std::move(weights), ""};
  for (size_t t = 0; t < map.weights.size(); ++t) map.target.push_back("t" + std::to_string(t));
  return map;
}

}  // namespace

TEST_CASE("masses are those of rows that lose some", "[report]") {
  CHECK(row_masses(map_of({{0.5, 0.5}, {1, 0}})).empty());
  CHECK(row_masses(map_of({{0.5, 0.498}})).empty());
  const std::vector<double> masses = row_masses(map_of({{0.5, 0.5}, {0.25, 0.5}, {0, 0}}));
  REQUIRE(masses.size() == 3);
  CHECK(masses[1] == 0.75);
  CHECK(masses[2] == 0);
  CHECK(row_masses(map_of({{0.2, 0.3}, {0.9, 0.9}})).empty());  // no attention weights
  CHECK(row_masses(map_of({{0.2, -0.3}})).empty());
  CHECK(row_masses(map_of({{0.2, std::nan("")}})).empty());
  CHECK(row_masses(map_of({})).empty());
}

TEST_CASE("pictures show the mass of rows that lose some", "[report]") {
  const AttentionMap lossy = map_of({{0.5, 0.5}, {0.25, 0.5}}), whole = map_of({{0.5, 0.5}});
  const std::string svg = heat_map_svg(lossy);
  CHECK(xml_problem(svg) == "");
  CHECK(svg.find(">Σ 0.75<") != std::string::npos);
  CHECK(svg.find(">Σ 1.00<") != std::string::npos);
  CHECK(heat_map_svg(whole).find("Σ") == std::string::npos);

  const std::string drawn = terminal_heat_map(lossy);
  CHECK(drawn.find(" Σ 0.75\n") != std::string::npos);
  CHECK(terminal_heat_map(whole).find("Σ") == std::string::npos);
}
