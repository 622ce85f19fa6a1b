#include "models/report/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/image/resize.h"
#include "models/report/bitmap_font.h"
#include "models/report/label.h"
#include "tensor/ops.h"

namespace glass {
namespace {

constexpr Rgb kInk{28, 35, 48}, kFaint{98, 107, 122}, kDark{72, 78, 100};
constexpr double kDimmed = 0.25;           // of the light where nothing is attended to
constexpr int64_t kTile = 144, kGap = 12;  // pixels
constexpr int64_t kPerRow = 6;
constexpr int64_t kLetterScale = 2;
constexpr int64_t kLabel = (2 * kLineHeight + 2) * kLetterScale;

void paste(Image& sheet, const Image& part, int64_t y, int64_t x) {
  for (int64_t row = 0; row < part.height; ++row)
    std::copy_n(part.at(row, 0), 3 * part.width, sheet.at(y + row, x));
}

// Pixels stay squares.
Image fitted(const Image& picture) {
  const int64_t longer = std::max(picture.height, picture.width);
  const auto scaled = [&](int64_t size) { return std::max<int64_t>(1, size * kTile / longer); };
  return resize(picture, scaled(picture.height), scaled(picture.width), Resample::area);
}

void draw_label(Image& sheet, int64_t y, int64_t x, const std::string& clean, Rgb color) {
  const int64_t scale = text_width(clean, kLetterScale) <= kTile ? kLetterScale : 1;
  std::string shown = clean;
  for (int64_t width = kTile; text_width(shown, scale) > kTile && width > 1; --width)
    shown = shorten(clean, width);
  draw_text(sheet, y, x, shown, scale, color);
}

}  // namespace

void check_sizes(std::string_view op, const PictureAttention& a) {
  if (a.picture.empty()) fail(op, "there is no picture");
  if (a.maps.empty()) fail(op, "there are no maps");
  for (const auto& head : a.maps)
    if (head.size() != a.words.size())
      fail(op, "need one map per word", head.size(), " for ", a.words.size());
  if (!a.gates.empty() && a.gates.size() != a.words.size())
    fail(op, "need one gate per word", a.gates.size(), " for ", a.words.size());
  if (!a.map_names.empty() && a.map_names.size() != a.maps.size())
    fail(op, "need one name per map", a.map_names.size(), " for ", a.maps.size());
}

std::vector<Tensor> main_maps(const PictureAttention& a) {
  check_sizes("main_maps", a);
  if (!a.map_names.empty()) return a.maps[0];
  std::vector<Tensor> means;
  for (size_t word = 0; word < a.words.size(); ++word) {
    Tensor sum = a.maps[0][word].to(kFloat64).clone();
    for (size_t head = 1; head < a.maps.size(); ++head) sum = sum + a.maps[head][word].to(kFloat64);
    means.push_back(sum * (1.0 / static_cast<double>(a.maps.size())));
  }
  return means;
}

double highest(const Tensor& map) {
  double most = 0;
  for (const double value : map.to(kFloat64).to_vector<double>())
    if (std::isfinite(value)) most = std::max(most, value);
  return most;
}

Image overlay(const Image& picture, const Tensor& map) {
  const Tensor light =
      resize(map.to(kFloat64), picture.height, picture.width, Resample::bilinear).contiguous();
  const double* at = light.data<double>();
  double most = 0;
  for (int64_t i = 0; i < light.numel(); ++i)
    if (std::isfinite(at[i])) most = std::max(most, at[i]);
  Image y = picture;
  for (int64_t i = 0; i < light.numel(); ++i) {
    const double lit = most > 0 && std::isfinite(at[i]) ? std::clamp(at[i] / most, 0.0, 1.0) : 0;
    uint8_t* pixel = y.rgb.data() + 3 * i;
    const double grey = (pixel[0] * 3 + pixel[1] * 6 + pixel[2]) / 10.0;
    const double dark[3] = {double(kDark.r), double(kDark.g), double(kDark.b)};
    for (int c = 0; c < 3; ++c) {
      const double unlit = dark[c] + kDimmed * grey;
      pixel[c] = static_cast<uint8_t>(std::lround(unlit + lit * (pixel[c] - unlit)));
    }
  }
  return y;
}

Image overlay_sheet(const PictureAttention& a) {
  check_sizes("overlay_sheet", a);
  const Image picture = fitted(a.picture);
  struct Tile {
    Image image;  // may be empty
    std::string word, below;
  };
  std::vector<std::vector<Tile>> rows{{{picture, "", ""}}};
  // Each map is lit to its own highest, which is written below: it may be next to nothing.
  const auto add = [&](const std::vector<Tensor>& maps, bool gated) {
    for (size_t i = 0; i < maps.size(); ++i) {
      if (a.maps.size() == 1 && std::ssize(rows.back()) == kPerRow) rows.emplace_back();
      rows.back().push_back(
          {overlay(picture, maps[i]), label_text(a.words[i]),
           text("max ", number_text(highest(maps[i]), 2),
                gated ? clean_text(fmt::format(", {} {:.2f}", a.gate_name, a.gates[i])) : "")});
    }
  };
  add(main_maps(a), !a.gates.empty());
  const bool named = !a.map_names.empty();
  if (a.maps.size() > 1) rows[0][0].word = named ? clean_text(a.map_names[0]) : "mean of heads";
  for (size_t head = named ? 1 : 0; a.maps.size() > 1 && head < a.maps.size(); ++head) {
    rows.push_back(
        {{{}, named ? clean_text(a.map_names[head]) : fmt::format("head {}", head), ""}});
    add(a.maps[head], false);
  }
  size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  const int64_t title = kGap + kLineHeight * kLetterScale, step = kTile + kGap;
  Image sheet(title + std::ssize(rows) * (kTile + kLabel + kGap),
              kGap + static_cast<int64_t>(columns) * step, 255);
  const std::string heading = clean_text(a.name + ": " + a.text);
  std::string shown = heading;
  for (int64_t width = 200; text_width(shown, kLetterScale) > sheet.width - 2 * kGap && width > 1;
       --width)
    shown = shorten(heading, width);
  draw_text(sheet, kGap, kGap, shown, kLetterScale, kInk);
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < rows[row].size(); ++column) {
      const Tile& tile = rows[row][column];
      const int64_t y = title + kGap / 2 + static_cast<int64_t>(row) * (kTile + kLabel + kGap);
      const int64_t x = kGap + static_cast<int64_t>(column) * step;
      if (!tile.image.empty()) paste(sheet, tile.image, y, x);
      draw_label(sheet, y + kTile + 6, x, tile.word, kInk);
      draw_label(sheet, y + kTile + 6 + kLineHeight * kLetterScale, x, tile.below, kFaint);
    }
  return sheet;
}

}  // namespace glass
