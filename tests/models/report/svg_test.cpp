#include "models/report/svg.h"

#include <filesystem>
#include <regex>

#include "tensor/error.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/models/report/maps.h"
#include "tests/models/report/xml_check.h"
#include "tests/skip.h"

using namespace glass;
using namespace glass::tests;

namespace {

// The cells in the order of the file: x, y and the title.
struct Cell {
  double x, y;
  std::string tip;
};

std::vector<Cell> cells(const std::string& svg) {
  static const std::regex pattern(
      "<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"[^>]*><title>([^<]*)</title></rect>");
  std::vector<Cell> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    out.push_back({std::stod((*at)[1]), std::stod((*at)[2]), (*at)[3]});
  }
  return out;
}

// Every attribute of a file, without the words a reader wrote into aria-label.
std::string attributes(const std::string& svg) {
  std::string out;
  static const std::regex tag("<[^>]*>"), label("aria-label=\"[^\"]*\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), tag), end; at != end; ++at) {
    out += std::regex_replace(at->str(), label, "");
  }
  return out;
}

}  // namespace

TEST_CASE("a heat map has one cell per weight, placed and titled as in the data", "[report]") {
  const std::string svg = heat_map_svg(tom_chases_jerry());
  CHECK(xml_problem(svg) == "");
  const auto found = cells(svg);
  REQUIRE(found.size() == 9);
  CHECK(found[0].tip == "汤姆 ← Tom: 0.6");
  CHECK(found[5].tip == "追逐 ← Jerry: 0.1");
  CHECK(found[6].tip == "杰瑞 ← Tom: 0.3");
  CHECK(found[8].tip == "杰瑞 ← Jerry: 0.5");
  for (size_t i = 0; i < 9; ++i) {
    CHECK(found[i].x == found[i % 3].x);      // columns below each other
    CHECK(found[i].y == found[i / 3 * 3].y);  // rows beside each other
  }
  CHECK(found[0].x < found[1].x);
  CHECK(found[1].x < found[2].x);
  CHECK(found[0].y < found[3].y);
  CHECK(found[3].y < found[6].y);
  CHECK(count(svg, ">Chase</text>") == 1);
  CHECK(count(svg, ">追逐</text>") == 1);
  CHECK(count(svg, ">0.70</text>") == 1);
}

TEST_CASE("axes are named as the map has it, and a single row leaves room for the name",
          "[report]") {
  AttentionMap map{{"a", "b"}, {"x"}, {{0.5, 0.5}}, ""};
  map.source_name = "column";
  map.target_name = "a rather long name of the rows";
  const std::string svg = heat_map_svg(map);
  CHECK(count(svg, ">column →</text>") == 1);
  CHECK(count(svg, ">← a rather long name of the rows</text>") == 1);
  std::smatch height;
  REQUIRE(std::regex_search(svg, height, std::regex(" height=\"([0-9.]+)\"")));
  CHECK(std::stod(height[1]) > cells(svg)[0].y + 30 * 0.5 * 12);  // 30 letters of half an em
}

TEST_CASE("a file of its own names its name space; a part of a page names none", "[report]") {
  CHECK(count(heat_map_svg(tom_chases_jerry()), "xmlns=\"http://www.w3.org/2000/svg\"") == 1);
  const std::string inner = heat_map_svg(tom_chases_jerry(), {.standalone = false});
  CHECK(xml_problem(inner) == "");
  CHECK(count(inner, "http") == 0);
  CHECK(count(inner, "fill=\"#") == 0);  // colours are the page's
  const std::string css = heat_map_css();
  for (const auto* rule : {".h0{fill:#ffffff}", ".h64{", ".hi{", ".lo{"}) {
    INFO(rule);
    CHECK(count(css, rule) >= 1);
  }
}

TEST_CASE("cells of a page have the colours that a file of its own has", "[report]") {
  const AttentionMap map{{"a", "b", "c", "d", "e"}, {"x"}, {{0, 0.25, 0.5, 0.75, 1}}, ""};
  const auto inks = [](const std::string& svg) {
    static const std::regex ink("\"([^\"]+)\"><title>");
    return std::vector<std::string>(std::sregex_token_iterator(svg.begin(), svg.end(), ink, 1), {});
  };
  const auto colors = inks(heat_map_svg(map));
  const auto classes = inks(heat_map_svg(map, {.standalone = false}));
  REQUIRE(colors.size() == 5);
  REQUIRE(classes.size() == 5);
  const std::string css = heat_map_css();
  for (size_t i = 0; i < colors.size(); ++i) {
    INFO(classes[i] << " " << colors[i]);
    CHECK(count(css, "." + classes[i] + "{fill:" + colors[i] + "}") == 1);
  }
}

TEST_CASE("long source words are rotated, letters stand upright", "[report]") {
  AttentionMap words = letters(2, 12);
  words.source.assign(12, "internationalization");
  CHECK(count(heat_map_svg(words), "rotate(-45") == 12);
  CHECK(count(heat_map_svg(letters(20, 60)), "rotate(-45") == 0);
  CHECK(cells(heat_map_svg(letters(20, 60))).size() == 1200);
}

TEST_CASE("words cannot break the page and odd weights cannot break the scale", "[report]") {
  for (bool standalone : {true, false}) {
    const std::string svg = heat_map_svg(hostile(), {.standalone = standalone});
    CHECK(xml_problem(svg) == "");
    CHECK(count(svg, "&lt;unk&gt;") >= 1);
    CHECK(count(svg, "a&amp;b") >= 1);
    CHECK(count(svg, "&lt;/svg&gt;") >= 1);
    CHECK(count(svg, "</svg>") == 1);
    CHECK(count(svg, "1000000") >= 2);  // the weight and the end of the scale
    const std::string machine = attributes(svg);
    CHECK(count(machine, "nan") == 0);
    CHECK(count(machine, "inf") == 0);
    CHECK(count(machine, "e+") == 0);
    REQUIRE(cells(svg).size() == 27);
    CHECK(cells(svg)[0].tip == "&lt;script&gt; ← &lt;unk&gt;: not a number");
    CHECK(cells(svg)[1].tip == "&lt;script&gt; ← a&amp;b: infinite");
  }
}

TEST_CASE("equal, single, missing and huge weights give valid files", "[report]") {
  const double most = std::numeric_limits<double>::max();
  const std::vector<AttentionMap> maps = {
      {{"a", "b"}, {"x", "y"}, {{0.5, 0.5}, {0.5, 0.5}}, "equal"},
      {{"a", "b"}, {"x"}, {{0, 0}}, "zero"},
      {{"a"}, {"x"}, {{1}}, ""},
      {{"a", "b"}, {}, {}, "no rows"},
      {{}, {"x", "y"}, {{}, {}}, "no columns"},
      {},
      {{"a", "b"}, {"x"}, {{-most, most}}, "huge"},
      {{"a", "b"}, {"x"}, {{5e-324, 0}}, "tiny"},
  };
  for (const auto& map : maps) {
    INFO(map.title);
    const std::string svg = heat_map_svg(map);
    CHECK(xml_problem(svg) == "");
    CHECK(cells(svg).size() == map.target.size() * map.source.size());
    CHECK(count(attributes(svg), "nan") == 0);
    CHECK(count(attributes(svg), "inf") == 0);
  }
  // Equal weights get equal colours, and not those of the end of the scale.
  const std::string equal = heat_map_svg({{"a", "b", "c"}, {"x"}, {{0.3, 0.3, 0.3}}, ""});
  std::smatch color;
  REQUIRE(std::regex_search(equal, color, std::regex("(fill=\"#[0-9a-f]+\")><title>")));
  CHECK(count(equal, color[1].str() + "><title>") == 3);
}

TEST_CASE("the locale does not change a picture", "[report]") {
  const AttentionMap map{{"a", "b"}, {"x"}, {{0.5, 1000000}}, "numbers"};
  const std::string before = heat_map_svg(map);
  const CommaLocale comma;
  const std::string svg = heat_map_svg(map);
  CHECK(svg == before);
  CHECK(cells(svg)[0].tip == "x ← a: 0.5");
  CHECK(cells(svg)[1].tip == "x ← b: 1000000");
}

TEST_CASE("a picture whose sizes do not fit is refused", "[report]") {
  AttentionMap map = tom_chases_jerry();
  map.source.pop_back();
  CHECK_THROWS_WITH(heat_map_svg(map),
                    "heat_map_svg: need one weight per source in every row: row 0 has 3 weights "
                    "for 2 sources");
}

TEST_CASE("another XML reader agrees", "[report]") {
  if (run("xmllint --version").status != 0) return skip("xmllint is absent");
  const auto path = std::filesystem::temp_directory_path() / "glass_svg_test.svg";
  for (const auto& map : {tom_chases_jerry(), hostile(), letters(20, 60), AttentionMap{}}) {
    write_file_atomically(path.string(), heat_map_svg(map));
    const Outcome outcome = run("xmllint --noout " + quoted(path.string()));
    INFO(outcome.output);
    CHECK(outcome.status == 0);
  }
  std::filesystem::remove(path);
}

TEST_CASE("a grid of heat maps stands in rows on one colour scale", "[report]") {
  AttentionMap faint{{"a", "b"}, {"c"}, {{0.1, 0.4}}, "faint"};
  AttentionMap full{{"a", "b"}, {"c"}, {{0.0, 1.0}}, "full"};
  const std::string svg = heat_map_grid_svg({faint, full, faint}, 2);
  CHECK(xml_problem(svg) == "");
  CHECK(cells(svg).size() == 6);
  CHECK(svg.find("aria-label=\"faint, full, faint\"") != std::string::npos);
  // 0.4 is not the darkest colour beside 1, as it would be alone.
  const auto color_of = [](const std::string& picture, const std::string& tip) {
    const size_t end = picture.find("\"><title>" + tip), begin = picture.rfind('#', end);
    REQUIRE(end != std::string::npos);
    return picture.substr(begin, end - begin);
  };
  CHECK(color_of(svg, "c ← b: 0.4") ==
        color_of(heat_map_svg({{"a", "b"}, {"c"}, {{0.4, 1}}, ""}), "c ← a: 0.4"));
  CHECK(color_of(svg, "c ← b: 0.4") != color_of(heat_map_svg(faint), "c ← b: 0.4"));
  // Two beside each other, the third below the first; one colour bar.
  std::vector<std::pair<double, double>> places;
  static const std::regex moved("translate\\(([0-9.]+) ([0-9.]+)\\)");
  for (std::sregex_iterator at(svg.begin(), svg.end(), moved), end; at != end; ++at)
    places.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
  REQUIRE(places.size() == 3);
  CHECK(places[0] == std::pair(0.0, 0.0));
  CHECK(places[1].first > 0);
  CHECK(places[1].second == 0);
  CHECK(places[2].first == 0);
  CHECK(places[2].second > 0);
  // Where two are too wide, each has a row of its own.
  const std::string narrow = heat_map_grid_svg({faint, full, faint}, 2, {.max_width = 150});
  CHECK(xml_problem(narrow) == "");
  for (std::sregex_iterator at(narrow.begin(), narrow.end(), moved), end; at != end; ++at)
    CHECK(std::stod((*at)[1]) == 0);
  CHECK_THROWS_AS(heat_map_grid_svg({}, 2), Error);
  CHECK_THROWS_AS(heat_map_grid_svg({faint}, 0), Error);
}
