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
  int64_t beam = 1;                  ///< of the final evaluation
  std::string encoder_weights = {};  ///< what a picture encoder began with; empty: at random
};

/// Creates the folder and those above it; returns those that were not there, the outermost first.
/// Throws Error (environment) when that is not possible.
std::vector<std::string> make_folder(const std::string& path);
/// Removes what a killed training left half written (hold a RunLock).
void remove_leftovers(const std::string& folder);
/// Throws Error unless a run may begin in the folder: it is absent, empty, or a run of Glass that
/// ended before its first checkpoint; with replace, any run of Glass.
void check_new_run(const std::string& folder, bool replace);
/// Checks it again (hold a RunLock) and writes the configuration; what an older run left there
/// goes, so that figures and weights are always of one run.
void begin_run(const std::string& folder, const RunConfig& config, bool replace);
/// While alive, a run that has yet to begin: unless there is a checkpoint in the end, or there was
/// a config.json before, what was written is removed again, and so are folders in made that are
/// empty then. Hold a RunLock.
class NewRun {
 public:
  NewRun(std::string folder, std::vector<std::string> made);
  ~NewRun();
  NewRun(const NewRun&) = delete;
  NewRun& operator=(const NewRun&) = delete;

 private:
  std::string folder_;
  std::vector<std::string> made_;
  bool was_there_;
};
void save_config(const std::string& folder, const RunConfig& config);
/// Throws Error naming the file, its entry, what was met there and what would be right.
RunConfig load_config(const std::string& folder);
/// A new model as configured.
std::unique_ptr<Translator> make_model(const RunConfig& config);
/// The folder's best model. Throws Error when it is missing, does not fit or holds NaN.
std::unique_ptr<Translator> load_model(const std::string& folder, const RunConfig& config);
/// The corpus the run was started with. Throws Error when a file has changed since.
Corpus load_corpus(const RunConfig& config);

/// What a run has come to.
struct RunMetrics {
  Score score;
  int64_t steps = 0;
  double seconds = 0, step_seconds = 0;  ///< of training; without validations
  std::optional<double> alignment_error_rate = {};
  std::optional<double> attention_multiply_adds = {};     ///< forward, per test sentence
  std::vector<std::pair<std::string, double>> more = {};  ///< Evaluation::more
};
/// A score as files and --json have it: of a task of labels accuracy and loss alone.
nlohmann::json score_json(const std::string& task, const Score& score);
/// metrics.json: the last values.
void save_metrics(const std::string& folder, const std::string& task, const RunMetrics& metrics);

}  // namespace glass
