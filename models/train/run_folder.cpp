#include "models/train/run_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "models/data/captions.h"
#include "models/json.h"
#include "models/train/run_lock.h"
#include "models/train/weights.h"
#include "tensor/file.h"

namespace glass {

namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

constexpr const char* kRunFiles[] = {
    "config.json", "checkpoint.safetensors", "model.safetensors", "metrics.json",
    "report.html", "attention.png",          "diagnosis.json"};

// A temporary file of write_file_atomically whose process was killed.
bool is_leftover(const std::string& name) {
  for (const char* file : kRunFiles)
    if (name.starts_with(file + std::string(kTemporaryMark))) return true;
  return false;
}

bool is_own_config(const std::string& path) {
  try {
    const Json j = parse_json(path, read_file(path));
    return j.is_object() && j.contains("task") && j.contains("model") && j.contains("training");
  } catch (const Error&) {
    return false;
  }
}

void check_folder(const std::string& path, const char* missing) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status)) return;
  if (fs::exists(status)) fail_environment("run folder", "is a file, not a folder", path);
  if (missing) fail_environment("run folder", missing, path);
}

}  // namespace

std::vector<std::string> make_folder(const std::string& path) {
  std::vector<std::string> made;
  fs::path part;
  for (const fs::path& name : fs::path(path)) {
    part /= name;
    if (!name.empty() && !exists(part.string())) made.push_back(part.string());
  }
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_environment("run folder", "cannot be created", path, ": ", error.message());
  return made;
}

void remove_leftovers(const std::string& folder) {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_leftover(entry.path().filename().string())) leftovers.push_back(entry.path());
  for (const fs::path& path : leftovers) fs::remove(path, ignored);
}

NewRun::NewRun(std::string folder, std::vector<std::string> made)
    : folder_(std::move(folder)),
      made_(std::move(made)),
      was_there_(exists(folder_ + "/config.json")) {}

NewRun::~NewRun() {
  if (was_there_ || exists(folder_ + "/checkpoint.safetensors")) return;
  std::error_code ignored;
  for (const char* name : kRunFiles) fs::remove(folder_ + "/" + name, ignored);
  fs::remove(folder_ + "/" + RunLock::kFile, ignored);
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) fs::remove(*path, ignored);
}

void check_new_run(const std::string& folder, bool replace) {
  check_folder(folder, nullptr);
  if (is_own_config(folder + "/config.json")) {
    if (!replace && exists(folder + "/checkpoint.safetensors"))
      fail("train", "this folder already holds a run", folder,
           "; continue it with --resume, or choose another --run");
    return;
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const std::string name = entry.path().filename().string();
        name != RunLock::kFile && !is_leftover(name))
      fail_environment("run folder", "holds files that are no run of Glass", folder, " has ", name,
                       "; choose another --run, or empty the folder");
}

void begin_run(const std::string& folder, const RunConfig& config, bool replace) {
  check_new_run(folder, replace);
  std::error_code ignored;
  for (const char* name : kRunFiles)
    if (name != std::string_view("config.json")) fs::remove(folder + "/" + name, ignored);
  save_config(folder, config);
}

void save_config(const std::string& folder, const RunConfig& config) {
  Json stamps = Json::object();
  for (const auto& [role, stamp] : config.stamps)
    stamps[role] = {{"bytes", stamp.bytes}, {"crc32", stamp.crc32}};
  Json j = {{"task", config.task},
            {"files",
             {{"data", config.files.data},
              {"valid", config.files.valid},
              {"test", config.files.test},
              {"captions", config.files.captions},
              {"encoder_weights", config.encoder_weights},
              {"stamps", stamps}}},
            {"model", to_json(config.model)},
            {"training", to_json(config.training)},
            {"beam", config.beam},
            {"text", config.codec.to_json()}};
  if (find_task(config.task)) j["task_options"] = to_json(config.data);
  write_file_atomically(folder + "/config.json", j.dump(1) + "\n");
}

namespace {

void check_size(const char* key, int64_t met, const Vocabulary& vocabulary) {
  if (met != vocabulary.size())
    fail_environment("model", std::string(key) + " must be the size of text, " + key,
                     vocabulary.size(), " (the specials counted), got ", met);
}

RunConfig config_from(const Json& j) {
  const char* top = "top level";
  RunConfig config;
  config.task = entry<std::string>(j, "task", top);
  // Runs of older versions have the options that are the default.
  if (find_task(config.task) && j.contains("task_options"))
    config.data = task_options(j["task_options"]);
  const Json& files = require(j, "files", top);
  config.files.data = entry<std::string>(files, "data", "files");
  config.files.valid = entry<std::string>(files, "valid", "files");
  config.files.test = entry<std::string>(files, "test", "files");
  // Runs of older versions have none of these.
  if (files.contains("captions"))
    config.files.captions = entry<std::string>(files, "captions", "files");
  if (files.contains("encoder_weights"))
    config.encoder_weights = entry<std::string>(files, "encoder_weights", "files");
  if (files.contains("stamps")) {
    const Json& stamps = files["stamps"];
    for (const char* role : {"data", "valid", "test"})
      if (stamps.contains(role))
        config.stamps[role] = {entry<uint64_t>(stamps[role], "bytes", "files, stamps"),
                               entry<uint64_t>(stamps[role], "crc32", "files, stamps")};
  }
  config.model = model_options(require(j, "model", top));
  config.training = train_options(require(j, "training", top));
  config.beam = entry(j, "beam", top, kBeamRange);
  config.codec = TextCodec::from_json(require(j, "text", top));
  config.files.strip_stress = config.codec.options.strip_stress;
  std::visit(
      [&](const auto& model) {
        bool reads_pictures = false;
        if constexpr (requires { model.picture; }) reads_pictures = model.picture.has_value();
        if (reads_pictures != config.codec.reads_pictures())
          fail_environment("model", "picture and text, picture_size must both be there, or neither",
                           "picture_size is ", config.codec.options.picture_size);
        check_size("source_vocabulary", model.source_vocabulary, config.codec.source);
        check_size("target_vocabulary", model.target_vocabulary, config.codec.target);
      },
      config.model);
  return config;
}

std::string description(const TextStamp& stamp) {
  return fmt::format("{} bytes, CRC-32 {:08x}", stamp.bytes, stamp.crc32);
}

void check_unchanged(const RunConfig& config, const Corpus& corpus) {
  const std::pair<const char*, const std::string*> files[] = {
      {"data", &config.files.data}, {"valid", &config.files.valid}, {"test", &config.files.test}};
  for (const auto& [role, path] : files) {
    const auto then = config.stamps.find(role), now = corpus.stamps.find(role);
    if (then == config.stamps.end() || now == corpus.stamps.end()) continue;
    if (then->second != now->second)
      fail_environment("run folder", "a data file has changed since the run began", *path, ": ",
                       description(now->second), "; then ", description(then->second),
                       "; restore it, or start a new run with another --run");
  }
}

}  // namespace

RunConfig load_config(const std::string& folder) {
  check_folder(folder, "does not exist");
  const std::string path = folder + "/config.json";
  if (!exists(path))
    fail_environment("run folder", "has no config.json, so it is no finished or begun run", folder);
  const Json json = parse_json(path, read_file(path));
  return in_file(path, [&] { return config_from(json); });
}

std::unique_ptr<Translator> make_model(const RunConfig& config) {
  return make_translator(config.model, config.training.seed);
}

std::unique_ptr<Translator> load_model(const std::string& folder, const RunConfig& config) {
  const std::string path = folder + "/model.safetensors";
  if (!exists(path))
    fail_environment("run folder", "has no model.safetensors yet", folder,
                     "; a model is written at the first validation");
  auto model = make_model(config);
  load_state(*model, load_weights(path), path);
  model->eval();
  return model;
}

Corpus load_corpus(const RunConfig& config) {
  if (const Task* task = find_task(config.task))
    return task->corpus(config.data, config.training.seed);
  CorpusFiles files = config.files;
  files.labels_first = config.task == "classify";
  Corpus corpus = config.task == "captions" ? captions_corpus(files) : read_corpus(files);
  check_unchanged(config, corpus);
  return corpus;
}

Json score_json(const std::string& task, const Score& score) {
  if (classifies(task)) return {{"accuracy", score.exact_match}, {"loss", score.loss}};
  return to_json(score);
}

void save_metrics(const std::string& folder, const std::string& task, const RunMetrics& m) {
  Json j = score_json(task, m.score);
  for (const auto& [name, value] : m.more) j[name] = value;
  j["task"] = task;
  j["steps"] = m.steps;
  j["seconds"] = m.seconds;
  if (m.steps > 0) j["seconds_per_step"] = m.step_seconds / static_cast<double>(m.steps);
  if (m.alignment_error_rate) j["alignment_error_rate"] = *m.alignment_error_rate;
  if (m.attention_multiply_adds) j["attention_multiply_adds"] = *m.attention_multiply_adds;
  write_file_atomically(folder + "/metrics.json", j.dump(1) + "\n");
}

}  // namespace glass
