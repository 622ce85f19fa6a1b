#include "models/report/overlay.h"

#include <algorithm>

#include "models/report/bitmap_font.h"
#include "models/report/html.h"
#include "models/report/picture_html.h"
#include "tests/catch.h"

using namespace glass;

namespace {

// The dots that are drawn, as lines of # and blanks.
std::string dots(std::string_view text, int64_t height, int64_t width) {
  Image image(height, width, 255);
  draw_text(image, 0, 0, text, 1, {});
  std::string out;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) out += image.at(y, x)[0] == 0 ? '#' : ' ';
    out += '\n';
  }
  return out;
}

PictureAttention example(size_t heads, bool gated) {
  PictureAttention a{Image(8, 8, 200), "dot.png", "a red dot", {"a", "red", "dot"}, {}, "gate", {}};
  for (size_t h = 0; h < heads; ++h) {
    a.maps.emplace_back();
    for (int word = 0; word < 3; ++word) {
      const Tensor map = Tensor::zeros({4, 4});
      map.data<float>()[5 * word + static_cast<int>(h)] = 1;
      a.maps.back().push_back(map);
    }
  }
  if (gated) a.gates = {0.25, 0.5, 1};
  return a;
}

}  // namespace

TEST_CASE("Letters are drawn in dots", "[report]") {
  CHECK(dots("Ty", 9, 11) ==
        "#####      \n"
        "  #        \n"
        "  #   #   #\n"
        "  #   #   #\n"
        "  #   #   #\n"
        "  #   #   #\n"
        "  #    ####\n"
        "          #\n"
        "       ### \n");
  CHECK(text_width("Ty", 1) == 11);
  CHECK(text_width("Ty", 2) == 22);
  CHECK(text_width("", 1) == 0);
  CHECK(text_width("a…", 1) == 23);  // three dots
  std::string all;
  for (char c = '!'; c <= '~'; ++c) {
    const std::string one = dots(std::string(1, c), 9, 5);
    CHECK(one.find('#') != std::string::npos);
    CHECK(all.find(one) == std::string::npos);  // no two alike
    all += one;
  }
  CHECK(dots("字", 9, 11).find('#') != std::string::npos);
  CHECK(text_width("字", 2) == 22);
  Image small(3, 3, 255);
  draw_text(small, -4, -2, "Wide text 字", 3, {});  // cut off at the edges
}

TEST_CASE("An overlay shows the picture where the map is highest", "[report]") {
  Image picture(8, 8, 0);
  for (size_t i = 0; i < picture.rgb.size(); i += 3) picture.rgb[i] = 250;
  const Tensor map = Tensor::zeros({2, 2});
  map.data<float>()[1] = 0.1F;  // top right; the scale is the map's own
  const Image y = overlay(picture, map);
  CHECK(std::vector<uint8_t>(y.at(0, 7), y.at(0, 7) + 3) == std::vector<uint8_t>{250, 0, 0});
  CHECK(y.at(7, 0)[0] < 125);
  CHECK(y.at(7, 0)[2] > 20);
  CHECK(overlay(picture, Tensor::zeros({2, 2})).at(0, 7)[0] < 125);
  CHECK(overlay(picture, Tensor::full({2, 2}, NAN)).at(0, 7)[0] < 125);
  CHECK(highest(map) == Approx(0.1));
  CHECK(highest(Tensor::full({2, 2}, NAN)) == 0);
}

TEST_CASE("A sheet has a tile for the picture and each word, and each head", "[report]") {
  const Image one = overlay_sheet(example(1, true));
  const Image two = overlay_sheet(example(2, false));
  CHECK(one.width == 12 + 4 * 156);
  CHECK(two.width == one.width);
  CHECK(two.height > one.height + 2 * 144);
  const std::vector<Tensor> mean = main_maps(example(2, false));
  CHECK(mean[1].at({1, 1}) == 0.5);
  CHECK(mean[1].at({1, 2}) == 0.5);
  PictureAttention named = example(2, false);
  named.map_names = {"attention", "effect"};
  CHECK(overlay_sheet(named).height == two.height - (two.height - one.height) / 2);
  CHECK(main_maps(named)[1].at({1, 1}) == 1);
  named.map_names.pop_back();
  CHECK_THROWS_AS(overlay_sheet(named), Error);
  PictureAttention wrong = example(1, false);
  wrong.words.pop_back();
  CHECK_THROWS_AS(overlay_sheet(wrong), Error);
  wrong = example(1, true);
  wrong.gates.pop_back();
  CHECK_THROWS_AS(overlay_sheet(wrong), Error);
  wrong.maps.clear();
  CHECK_THROWS_AS(overlay_sheet(wrong), Error);
}

TEST_CASE("A sheet's blanks are blank, but for those of a word", "[report]") {
  PictureAttention a = example(1, true);
  a.words[0] = "a b";
  const Image sheet = overlay_sheet(a);
  const auto shows = [&](const std::string& text, int64_t scale, Rgb color) {
    Image line(9 * scale, text_width(text, scale), 255);
    draw_text(line, 0, 0, text, scale, color);
    for (int64_t y = 0; y + line.height <= sheet.height; ++y)
      for (int64_t x = 0; x + line.width <= sheet.width; ++x) {
        int64_t row = 0;
        while (row < line.height &&
               std::equal(line.at(row, 0), line.at(row, 0) + 3 * line.width, sheet.at(y + row, x)))
          ++row;
        if (row == line.height) return true;
      }
    return false;
  };
  CHECK(shows("max 1, gate 0.50", 1, {98, 107, 122}));
  CHECK(shows("a␣b", 2, {28, 35, 48}));
}

TEST_CASE("A figure of a page holds its pictures, and shows words as text", "[report]") {
  // RFC 4648, section 10.
  Image one(1, 1, 0);
  const std::string uri = data_uri(one);
  CHECK(uri.starts_with("data:image/png;base64,iVBORw0KGgo"));
  CHECK(uri.size() % 4 == (std::string("data:image/png;base64,").size()) % 4);
  PictureAttention a = example(2, true);
  a.words[1] = "<b>&";
  a.name = "\"x\".png";
  const std::string html = picture_figure(a);
  CHECK(html.find("<b>") == std::string::npos);
  CHECK(html.find("&lt;b&gt;&amp;") != std::string::npos);
  CHECK(html.find("&quot;x&quot;.png") != std::string::npos);
  CHECK(html.find("<small>gate 0.50</small>") != std::string::npos);
  size_t heads = 0;
  for (size_t at = 0; (at = html.find("class=\"head\"", at)) != std::string::npos; ++at) ++heads;
  CHECK(heads == 6);
  ReportData page;
  page.title = "x";
  page.pictures = {a};
  page.samples = {{"p.png", "a", {"b"}, false, one}};
  const std::string whole = report_html(page);
  CHECK(whole.find("class=\"thumb\"") != std::string::npos);
  CHECK(whole.find("http") == std::string::npos);  // nothing from elsewhere
  page.pictures.clear();
  CHECK(report_html(page).find(".look") == std::string::npos);
}
