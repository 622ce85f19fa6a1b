#pragma once

#include <functional>
#include <random>
#include <string>

#include "models/tasks/task.h"

namespace glass {

/// A sentence, its translation, and which tokens belong together.
struct Example {
  std::string source, target;
  GoldLinks links;
};

/// The corpus of a task with known alignments. draw: an example, whose target depends on nothing
/// but its source. Test, then validation sources are drawn, each another one; training draws among
/// all the rest, any of them as often as it comes. Throws Error, naming the options, when different
/// sentences run out or min_length is more than max_length.
Corpus draw_corpus(const TaskOptions& options, uint64_t seed,
                   const std::function<Example(std::mt19937_64&)>& draw);

/// A length from min_length to max_length, each as likely.
int64_t draw_length(std::mt19937_64& random, const TaskOptions& options);

}  // namespace glass
