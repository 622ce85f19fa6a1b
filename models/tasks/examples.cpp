#include "models/tasks/examples.h"

#include <unordered_set>

#include "models/text/draws.h"
#include "tensor/error.h"

namespace glass {

Corpus draw_corpus(const TaskOptions& o, uint64_t seed,
                   const std::function<Example(std::mt19937_64&)>& draw) {
  if (o.min_length > o.max_length)
    fail("task", "min_length must be at most max_length", o.min_length, " and ", o.max_length);
  constexpr int kTries = 1000;  // in a row: then there is hardly a sentence left
  std::mt19937_64 random(mix64(seed));
  std::unordered_set<std::string> held_out;
  const auto another = [&](const char* part) {
    for (int i = 0; i < kTries; ++i) {
      Example example = draw(random);
      if (held_out.count(example.source) == 0) return example;
    }
    fail("task",
         text("too few different sentences for ", o.test, " of the test, ", o.valid,
              " of validation and others to train on"),
         held_out.size(), " were found, and none for ", part,
         "; take longer ones, more letters, or smaller parts");
  };
  Corpus corpus;
  const auto hold_out = [&](int64_t count, const char* part, std::vector<References>& sources,
                            std::vector<GoldLinks>& links) {
    for (int64_t i = 0; i < count; ++i) {
      Example example = another(part);
      held_out.insert(example.source);
      sources.push_back({std::move(example.source), {std::move(example.target)}});
      links.push_back(std::move(example.links));
    }
  };
  hold_out(o.test, "the test", corpus.test, corpus.test_links);
  hold_out(o.valid, "validation", corpus.valid, corpus.valid_links);
  for (int64_t i = 0; i < o.train; ++i) {
    Example example = another("training");
    corpus.train.push_back({std::move(example.source), std::move(example.target)});
  }
  return corpus;
}

int64_t draw_length(std::mt19937_64& random, const TaskOptions& o) {
  const auto choices = static_cast<uint64_t>(o.max_length - o.min_length + 1);
  return o.min_length + static_cast<int64_t>(draw_below(random, choices));
}

}  // namespace glass
