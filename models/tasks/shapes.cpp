#include "models/data/shapes.h"

#include "models/tasks/task.h"

namespace glass {

Corpus shapes_corpus(const TaskOptions& o, uint64_t seed) {
  constexpr uint64_t kScenes = 1'000'000;  // of a seed
  uint64_t number = seed * kScenes;
  Corpus corpus;
  for (; std::ssize(corpus.train) < o.train; ++number)
    for (const SceneCaption& caption : captions(make_scene(number)))
      corpus.train.push_back({scene_name(number), caption.text});
  corpus.train.resize(static_cast<size_t>(o.train));
  const auto scenes = [&](int64_t count) {
    std::vector<Pair> pairs;
    for (int64_t i = 0; i < count; ++i, ++number)
      for (const SceneCaption& caption : captions(make_scene(number)))
        pairs.push_back({scene_name(number), caption.text});
    return references(pairs);
  };
  corpus.valid = scenes(o.valid);
  corpus.test = scenes(o.test);
  return corpus;
}

}  // namespace glass
