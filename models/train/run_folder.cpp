#include "models/train/run_folder.h"

#include <filesystem>

#include "models/json.h"
#include "tensor/file.h"
#include "tensor/safetensors.h"

namespace glass {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_environment("run folder", "cannot be created", path, ": ", error.message());
}

void save_config(const std::string& folder, const RunConfig& config) {
  const Json j = {
      {"task", config.task},
      {"files",
       {{"data", config.files.data}, {"valid", config.files.valid}, {"test", config.files.test}}},
      {"model", to_json(config.model)},
      {"training", to_json(config.training)},
      {"beam", config.beam},
      {"text", config.codec.to_json()}};
  write_file_atomically(folder + "/config.json", j.dump(1) + "\n");
}

RunConfig load_config(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (!std::filesystem::exists(path))
    fail_environment("run folder", "has no config.json, so it is no finished or begun run", folder);
  try {
    const Json j = parse_json(read_file(path));
    RunConfig config;
    config.task = entry<std::string>(j, "task", "config.json");
    const Json& files = require(j, "files", "config.json");
    config.files.data = entry<std::string>(files, "data", "config.json, files");
    config.files.valid = entry<std::string>(files, "valid", "config.json, files");
    config.files.test = entry<std::string>(files, "test", "config.json, files");
    config.model = seq2seq_options(require(j, "model", "config.json"));
    config.training = train_options(require(j, "training", "config.json"));
    config.beam = entry<int64_t>(j, "beam", "config.json");
    config.codec = TextCodec::from_json(require(j, "text", "config.json"));
    config.files.strip_stress = config.codec.options.strip_stress;
    if (config.codec.source.size() != config.model.source_vocabulary ||
        config.codec.target.size() != config.model.target_vocabulary)
      fail_environment("run folder", "vocabularies and model differ in size", path);
    return config;
  } catch (const Json::exception& e) {
    fail_environment("run folder", "config.json is damaged", path, ": ", e.what());
  }
}

Seq2Seq load_model(const std::string& folder, const RunConfig& config) {
  const std::string path = folder + "/model.safetensors";
  if (!std::filesystem::exists(path))
    fail_environment("run folder", "has no model.safetensors yet", folder,
                     "; a model is written at the first validation");
  Seq2Seq model(config.model, config.training.seed);
  model.load_state_dict(load_safetensors(path));
  model.eval();
  return model;
}

Corpus load_corpus(const RunConfig& config) {
  if (config.task == "dates") return dates_corpus(config.training.seed);
  if (config.task == "pairs") return read_corpus(config.files);
  fail_environment("run folder", "unknown task", config.task, "; there are dates and pairs");
}

void save_metrics(const std::string& folder, const std::string& task, const Score& score,
                  int64_t steps, double seconds) {
  Json j = to_json(score);
  j["task"] = task;
  j["steps"] = steps;
  j["seconds"] = seconds;
  write_file_atomically(folder + "/metrics.json", j.dump(1) + "\n");
}

}  // namespace glass
