#include "models/data/shapes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/text/pairs.h"
#include "tests/catch.h"

using namespace glass;

namespace {

int64_t area(const Tensor& mask) {
  return std::count(mask.data<bool>(), mask.data<bool>() + mask.numel(), true);
}

}  // namespace

TEST_CASE("Scenes are the same everywhere, and clear", "[shapes]") {
  // Recorded once: a change of the drawing would change every run's data.
  std::string all;
  for (uint64_t number = 0; number < 50; ++number) {
    const Image image = draw(make_scene(number));
    all.append(image.rgb.begin(), image.rgb.end());
    for (const SceneCaption& c : captions(make_scene(number))) all += c.text;
  }
  CHECK(fnv1a(all) == 0x6ac54b89a37d65d5);
  int64_t alone = 0;
  for (uint64_t number = 0; number < 500; ++number) {
    const Scene scene = make_scene(number);
    alone += scene.objects.size() == 1;
    for (const SceneObject& o : scene.objects) {
      CHECK(std::min(o.x, o.y) - o.radius >= 1);
      CHECK(std::max(o.x, o.y) + o.radius <= kSceneSide - 1);
    }
    if (scene.objects.size() < 2) continue;
    const Tensor a = object_mask(scene, 0), b = object_mask(scene, 1);
    for (int64_t i = 0; i < a.numel(); ++i) REQUIRE_FALSE((a.data<bool>()[i] && b.data<bool>()[i]));
  }
  CHECK(alone > 60);
  CHECK(alone < 140);
}

TEST_CASE("Captions say what is there", "[shapes]") {
  Scene scene{7, {{0, 0, true, 14, 24, 10}, {1, 2, false, 38, 20, 5}}};
  std::vector<SceneCaption> all = captions(scene);
  REQUIRE(all.size() == 2);
  CHECK(all[0].text == "a large red circle left of a small blue square");
  CHECK(all[0].objects == std::vector<int64_t>{-1, 0, 0, 0, -1, -1, -1, 1, 1, 1});
  CHECK(all[1].text == "a small blue square right of a large red circle");
  CHECK(all[1].objects == std::vector<int64_t>{-1, 1, 1, 1, -1, -1, -1, 0, 0, 0});
  scene.objects[1] = {3, 5, false, 16, 40, 5};
  CHECK(captions(scene)[0].text == "a large red circle above a small black cross");
  CHECK(captions(scene)[1].objects == std::vector<int64_t>{-1, 1, 1, 1, -1, -1, 0, 0, 0});
  scene.objects.pop_back();
  REQUIRE(captions(scene).size() == 1);
  CHECK(captions(scene)[0].text == "a large red circle");
}

TEST_CASE("A mask covers its object's pixels, and the picture has its colour there", "[shapes]") {
  const Scene scene{3, {{0, 0, true, 24, 24, 10}}};
  CHECK(std::abs(static_cast<double>(area(object_mask(scene, 0))) - 314.159) < 8);
  Scene square = scene;
  square.objects[0].shape = 1;
  CHECK(area(object_mask(square, 0)) == 18 * 18);
  const Image image = draw(scene);
  CHECK(image.at(24, 24)[0] == 214);
  CHECK(image.at(24, 24)[1] == 40);
  CHECK(image.at(1, 1)[0] == image.at(1, 1)[1]);
  CHECK(image.at(1, 1)[0] >= 225);
  const Image aside = draw({3, {{0, 0, true, 30, 12, 10}}});  // x is the column
  CHECK(aside.at(12, 30)[1] == 40);
  CHECK(aside.at(30, 12)[1] >= 225);
  CHECK_THROWS_AS(object_mask(scene, 1), Error);
}

TEST_CASE("Scenes have names", "[shapes]") {
  CHECK(scene_name(17) == "scene 17");
  CHECK(scene_number("scene 17") == 17);
  for (const char* wrong : {"scene", "scene ", "scene 1x", "scenes 1", "scene -1", "17",
                            "scene 99999999999999999999999"})
    CHECK_FALSE(scene_number(wrong));
}
