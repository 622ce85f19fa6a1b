#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/image/image.h"

namespace glass {

// The task `shapes`: drawn scenes of one or two objects, with captions, and with the truth about
// which object a word speaks of and where it is. A scene is its number: the same on every machine.

inline constexpr int64_t kSceneSide = 48;  ///< pixels

struct SceneObject {
  int64_t shape = 0, color = 0;  ///< places in shape_names() and color_names()
  bool large = false;
  double x = 0, y = 0, radius = 0;  ///< of the middle, from the top left corner, in pixels
};

struct Scene {
  uint64_t number = 0;
  std::vector<SceneObject> objects;
};
/// Objects that do not touch, lie wholly in the picture, and of which one is clearly above, or left
/// of, the other.
Scene make_scene(uint64_t number);

const std::vector<std::string>& shape_names();
const std::vector<std::string>& color_names();

Image draw(const Scene& scene);
/// [kSceneSide, kSceneSide] bool: the pixels that the object covers by half or more.
Tensor object_mask(const Scene& scene, size_t object);

struct SceneCaption {
  std::string text;  ///< words, one blank between
  /// Of each word the object it speaks of: "large", "red" and "circle"; -1: of none.
  std::vector<int64_t> objects;
};
/// Every true caption of the form "a large red circle left of a small blue square": two of two
/// objects, one of one.
std::vector<SceneCaption> captions(const Scene& scene);

/// "scene 17", by which a scene stands where other tasks have a text or a path, and back.
std::string scene_name(uint64_t number);
std::optional<uint64_t> scene_number(std::string_view name);

}  // namespace glass
