#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/data/corpus.h"

namespace glass {

/// What a task that makes its own data can be told; each reads what its row names.
struct TaskOptions {
  int64_t train = 20000, valid = 500, test = 2000;  ///< pairs; sources
  int64_t min_length = 3, max_length = 12;          ///< tokens of a source
  int64_t alphabet = 26;                            ///< different letters
  int64_t repeat = 2;                               ///< how often stretch writes a letter
};
nlohmann::json to_json(const TaskOptions& options);
/// Throws Error naming a missing or wrong entry.
TaskOptions task_options(const nlohmann::json& json);

/// A task that makes its own data: a new one is a file with its corpus() and a row of tasks().
struct Task {
  std::string name, about;
  std::vector<std::string> options;  ///< of the command line that it reads, beside the sizes
  /// The tokens that its known alignments (of pictures: objects of words) count; none: it has no
  /// alignments, and any will do.
  std::optional<Tokens> tokens;
  /// The same for the same arguments, everywhere. No source of valid or test occurs in another
  /// part. Throws Error where there are too few different sentences.
  Corpus (*corpus)(const TaskOptions& options, uint64_t seed);
  int64_t picture_size = 0;  ///< sources are pictures of that side; 0: texts
};
const std::vector<Task>& tasks();
/// Those of tasks(), and pairs, captions and classify, whose data is a file.
std::vector<std::string> task_names();
/// Null for pairs, captions and classify; throws Error for a name that is none.
const Task* find_task(const std::string& name);
/// Whether its sources are pictures.
bool reads_pictures(const std::string& task);
/// Whether its targets are labels.
bool classifies(const std::string& task);

/// Calendar dates to be written as 1998-03-03 (models/text/dates.h).
Corpus dates_corpus(const TaskOptions& options, uint64_t seed);
/// abcd -> abcd, dcba, aabbccdd; dbca -> abcd. Letters are drawn alike and independently.
Corpus copy_corpus(const TaskOptions& options, uint64_t seed);
Corpus reverse_corpus(const TaskOptions& options, uint64_t seed);
Corpus stretch_corpus(const TaskOptions& options, uint64_t seed);
Corpus sort_corpus(const TaskOptions& options, uint64_t seed);
/// A toy language with another word order (models/tasks/toy_mt.cpp).
Corpus toy_mt_corpus(const TaskOptions& options, uint64_t seed);
/// Drawn scenes with all their captions (models/data/shapes.h).
Corpus shapes_corpus(const TaskOptions& options, uint64_t seed);
/// Reviews, positive or negative, with a number that is a shortcut (models/tasks/shortcut.cpp).
Corpus shortcut_corpus(const TaskOptions& options, uint64_t seed);

}  // namespace glass
