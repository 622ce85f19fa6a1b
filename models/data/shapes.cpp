#include "models/data/shapes.h"

#include <charconv>
#include <cmath>

#include "models/text/draws.h"

namespace glass {
namespace {

constexpr double kSide = static_cast<double>(kSceneSide);
constexpr int64_t kSamples = 4;   // of a pixel, along each axis
constexpr double kGap = 3;        // between two objects, and to the picture's edge 1
constexpr double kClearly = 1.4;  // how much farther along the axis that the caption names
constexpr std::string_view kName = "scene ";

constexpr uint8_t kColors[][3] = {{214, 40, 40},  {42, 140, 60},  {40, 80, 210},
                                  {240, 190, 30}, {140, 60, 170}, {40, 40, 44}};

// In [low, high), in steps of 1/1024.
double draw_real(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(draw_below(random, 1024)) / 1024;
}

SceneObject make_object(std::mt19937_64& random) {
  SceneObject o;
  o.shape = static_cast<int64_t>(draw_below(random, shape_names().size()));
  o.color = static_cast<int64_t>(draw_below(random, color_names().size()));
  o.large = draw_below(random, 2) == 1;
  o.radius = o.large ? draw_real(random, 9, 11) : draw_real(random, 4.5, 6);
  o.x = draw_real(random, o.radius + 1, kSide - o.radius - 1);
  o.y = draw_real(random, o.radius + 1, kSide - o.radius - 1);
  return o;
}

bool is_clear(const SceneObject& a, const SceneObject& b) {
  const double dx = std::fabs(a.x - b.x), dy = std::fabs(a.y - b.y);
  const double apart = std::max(dx, dy), other = std::min(dx, dy);
  return apart >= a.radius + b.radius + kGap && apart >= kClearly * other &&
         (a.shape != b.shape || a.color != b.color);
}

// Is the point inside? x and y from the object's middle, in radii.
bool covers(int64_t shape, double x, double y) {
  switch (shape) {
    case 0:  // circle
      return x * x + y * y <= 1;
    case 1:  // square
      return std::fabs(x) <= 0.9 && std::fabs(y) <= 0.9;
    case 2:  // triangle, its point up
      return y <= 0.85 && std::fabs(x) <= (y + 1) * 0.55;
    default:  // cross
      return (std::fabs(x) <= 0.33 && std::fabs(y) <= 1) ||
             (std::fabs(y) <= 0.33 && std::fabs(x) <= 1);
  }
}

// The part of a pixel that an object covers.
double coverage(const SceneObject& o, int64_t row, int64_t column) {
  int64_t hits = 0;
  for (int64_t i = 0; i < kSamples; ++i)
    for (int64_t j = 0; j < kSamples; ++j) {
      const auto place = [](int64_t pixel, int64_t k) {
        return static_cast<double>(pixel) +
               (static_cast<double>(k) + 0.5) / static_cast<double>(kSamples);
      };
      hits +=
          covers(o.shape, (place(column, j) - o.x) / o.radius, (place(row, i) - o.y) / o.radius);
    }
  return static_cast<double>(hits) / static_cast<double>(kSamples * kSamples);
}

// "above" for what is above: the relation of a to b.
std::string relation(const SceneObject& a, const SceneObject& b) {
  if (std::fabs(a.x - b.x) > std::fabs(a.y - b.y)) return a.x < b.x ? "left of" : "right of";
  return a.y < b.y ? "above" : "below";
}

void add_words(SceneCaption& caption, std::string_view words, int64_t object) {
  if (!caption.text.empty()) caption.text += ' ';
  caption.text += words;
  for (size_t at = 0; at != std::string_view::npos; at = words.find(' ', at + 1))
    caption.objects.push_back(object);
}

void add_object(SceneCaption& caption, const SceneObject& o, int64_t number) {
  add_words(caption, "a", -1);
  add_words(caption, o.large ? "large" : "small", number);
  add_words(caption, color_names()[static_cast<size_t>(o.color)], number);
  add_words(caption, shape_names()[static_cast<size_t>(o.shape)], number);
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names{"circle", "square", "triangle", "cross"};
  return names;
}

const std::vector<std::string>& color_names() {
  static const std::vector<std::string> names{"red", "green", "blue", "yellow", "purple", "black"};
  return names;
}

Scene make_scene(uint64_t number) {
  std::mt19937_64 random(mix64(number));
  const bool alone = draw_below(random, 5) == 0;
  Scene scene{number, {make_object(random)}};
  while (!alone && scene.objects.size() < 2) {
    const SceneObject first = scene.objects[0], second = make_object(random);
    if (is_clear(first, second))
      scene.objects.push_back(second);
    else
      scene.objects[0] = make_object(random);  // a place where a second one fits
  }
  return scene;
}

Image draw(const Scene& scene) {
  std::mt19937_64 random(mix64(scene.number + 1) ^ 1);
  const auto ground = static_cast<double>(225 + draw_below(random, 31));
  Image image(kSceneSide, kSceneSide, 0);
  for (int64_t row = 0; row < kSceneSide; ++row)
    for (int64_t column = 0; column < kSceneSide; ++column) {
      double rgb[3] = {ground, ground, ground};
      for (const SceneObject& o : scene.objects) {
        const double part = coverage(o, row, column);
        for (int c = 0; c < 3; ++c) rgb[c] += part * (kColors[o.color][c] - rgb[c]);
      }
      for (int c = 0; c < 3; ++c)
        image.at(row, column)[c] = static_cast<uint8_t>(std::lround(rgb[c]));
    }
  return image;
}

Tensor object_mask(const Scene& scene, size_t object) {
  if (object >= scene.objects.size())
    fail("object_mask", "the scene has no such object", object, " of ", scene.objects.size());
  const Tensor mask = Tensor::empty({kSceneSide, kSceneSide}, kBool);
  for (int64_t row = 0; row < kSceneSide; ++row)
    for (int64_t column = 0; column < kSceneSide; ++column)
      mask.data<bool>()[row * kSceneSide + column] =
          coverage(scene.objects[object], row, column) >= 0.5;
  return mask;
}

std::vector<SceneCaption> captions(const Scene& scene) {
  std::vector<SceneCaption> all;
  for (size_t i = 0; i < scene.objects.size(); ++i) {
    const auto first = static_cast<int64_t>(i);
    all.emplace_back();
    add_object(all.back(), scene.objects[i], first);
    if (scene.objects.size() == 1) break;
    add_words(all.back(), relation(scene.objects[i], scene.objects[1 - i]), -1);
    add_object(all.back(), scene.objects[1 - i], 1 - first);
  }
  return all;
}

std::string scene_name(uint64_t number) { return std::string(kName) + std::to_string(number); }

std::optional<uint64_t> scene_number(std::string_view name) {
  if (!name.starts_with(kName)) return std::nullopt;
  name.remove_prefix(kName.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace glass
