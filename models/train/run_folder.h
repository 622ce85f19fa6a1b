#pragma once

#include <memory>
#include <string>

#include "models/tasks/task.h"
#include "models/train/model_options.h"
#include "models/train/trainer.h"

namespace glass {

/// What a run was started with: config.json in its folder.
struct RunConfig {
  std::string task;  ///< one of task_names()
  TaskOptions data;  ///< of a task that makes its own
  CorpusFiles files;
  TextStamps stamps;  ///< of the files as the run began; empty in runs of older versions
  TextCodec codec;
  ModelOptions model;
  TrainOptions training;
  int64_t beam = 1;  ///< of the final evaluation
};

/// Creates the folder (and those above it). Throws Error (environment) when that is not possible.
void make_folder(const std::string& path);
/// Throws Error unless a run may begin in the folder: it is absent, empty, or a run of Glass that
/// ended before its first checkpoint; with replace, any run of Glass.
void check_new_run(const std::string& folder, bool replace);
/// Checks it again (hold a RunLock) and writes the configuration; an old checkpoint goes.
void begin_run(const std::string& folder, const RunConfig& config, bool replace);
void save_config(const std::string& folder, const RunConfig& config);
/// Throws Error naming the file, its entry, what was met there and what would be right.
RunConfig load_config(const std::string& folder);
/// A new model as configured.
std::unique_ptr<Translator> make_model(const RunConfig& config);
/// The folder's best model. Throws Error when it is missing, does not fit or holds NaN.
std::unique_ptr<Translator> load_model(const std::string& folder, const RunConfig& config);
/// The corpus the run was started with. Throws Error when a file has changed since.
Corpus load_corpus(const RunConfig& config);

/// metrics.json: the last values. alignment_error_rate: where it is known.
void save_metrics(const std::string& folder, const std::string& task, const Score& score,
                  int64_t steps, double seconds, std::optional<double> alignment_error_rate = {});

}  // namespace glass
