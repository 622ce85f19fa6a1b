// Trainings that are killed without warning, and disks that are full.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/models/cli/run.h"
#include "tests/models/train/small_run.h"
#include "tests/tensor/full_disk.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// What a child process does until it ends or is killed; true when it ended by itself.
template <class F>
bool ends_in_child(F f, double kill_after_seconds = INFINITY) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    f();
    _exit(0);
  }
  if (std::isfinite(kill_after_seconds)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(kill_after_seconds));
    kill(child, SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Dies when its model is asked for the die_at-th time: in a step, in a validation, between two
// writes.
struct Mortal : Run {
  int die_at = 0, asked = 0;
  Module& model() override {
    if (++asked == die_at) std::raise(SIGKILL);
    return Run::model();
  }
};

TrainOptions few_steps() {
  return {.steps = 9, .batch_size = 16, .lr = 3e-3, .warmup = 2, .ema = 0.9, .valid_every = 3};
}

// Continues what the folder holds, or begins; how often the model was asked for.
int train_on(const std::string& folder, int die_at = 0) {
  Mortal run;
  run.die_at = die_at;
  Trainer trainer(run, run.task.batches(few_steps()), few_steps(), folder);
  if (std::filesystem::exists(folder + "/checkpoint.safetensors")) trainer.resume();
  trainer.run();
  return run.asked;
}

// Where two checkpoints differ in what decides how a run goes on; times do not.
std::string difference(const std::string& one, const std::string& other) {
  const NamedTensors a = load_safetensors(one), b = load_safetensors(other);
  if (a.tensors.size() != b.tensors.size()) return "other tensors";
  for (const auto& [name, tensor] : a.tensors) {
    const Tensor* found = b.find(name);
    if (!found || !(found->shape() == tensor.shape())) return name;
    if (tensor.dtype() == kFloat32 && found->to_vector<float>() != tensor.to_vector<float>())
      return name;
    if (tensor.dtype() == kInt64 && found->to_vector<int64_t>() != tensor.to_vector<int64_t>())
      return name;
  }
  auto x = nlohmann::json::parse(a.metadata.at("training")),
       y = nlohmann::json::parse(b.metadata.at("training"));
  for (auto* json : {&x, &y})
    for (const char* time : {"seconds", "step_seconds"}) json->erase(time);
  return x == y ? "" : x.dump() + " and " + y.dump();
}

bool model_is_newer(const std::string& folder) {
  const NamedTensors model = load_safetensors(folder + "/model.safetensors");
  if (!std::filesystem::exists(folder + "/checkpoint.safetensors")) return true;
  const NamedTensors all = load_safetensors(folder + "/checkpoint.safetensors");
  const auto& [name, tensor] = model.tensors.at(0);
  return all.at("best." + name).to_vector<float>() != tensor.to_vector<float>();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Kills trainings of the program at random points, so many times in all, and lets each end.
void kill_at_random(int times, uint64_t seed) {
  const Scratch folder;
  write_file_atomically(folder / "data.tsv", lines(200));
  const auto train_in = [&](const std::string& run) {
    if (std::filesystem::exists(run + "/checkpoint.safetensors"))
      return program({"train", "--run", run, "--resume"});
    return train(folder / "data.tsv", run, {"--valid-every", "2", "--ema", "0.9"}, "60");
  };
  const std::string whole = folder / "whole", cut = folder / "cut";
  REQUIRE(train_in(whole).status == 0);
  const auto end = [&] {
    const Output last = train_in(cut);
    INFO(last.err);
    REQUIRE(last.status == 0);
    CHECK(read_file(cut + "/model.safetensors") == read_file(whole + "/model.safetensors"));
    CHECK(read_file(cut + "/config.json") == read_file(whole + "/config.json"));
    CHECK(difference(cut + "/checkpoint.safetensors", whole + "/checkpoint.safetensors") == "");
    CHECK(names_in(cut) == names_in(whole));
    std::filesystem::remove_all(cut);
  };
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> delay(0, 0.25);
  int finished = 0;
  for (int killed = 0; killed < times;) {
    INFO(killed << " of " << times << " kills, seed " << seed);
    if (!ends_in_child([&] { train_in(cut); }, delay(random))) {
      ++killed;
      continue;
    }
    REQUIRE(++finished < 2 * times);
    end();
  }
  end();
}

}  // namespace

TEST_CASE("a training killed at any call, also between two writes, ends with the same bits") {
  const Scratch folder;
  make_folder(folder / "whole");
  const int calls = train_on(folder / "whole");
  REQUIRE(calls > 25);
  int between = 0;
  for (int at = 1; at <= calls; ++at) {
    INFO("killed at call " << at << " of " << calls);
    const std::string cut = folder / std::to_string(at);
    make_folder(cut);
    CHECK_FALSE(ends_in_child([&] { train_on(cut, at); }));
    if (std::filesystem::exists(cut + "/model.safetensors")) between += model_is_newer(cut);
    train_on(cut);
    CHECK(read_file(cut + "/model.safetensors") == read_file(folder / "whole/model.safetensors"));
    CHECK(difference(cut + "/checkpoint.safetensors", folder / "whole/checkpoint.safetensors") ==
          "");
  }
  CHECK(between > 0);
}

TEST_CASE("a training killed at random points goes on and ends with the same bits", "[cli]") {
  kill_at_random(4, 1);
}

TEST_CASE("a training killed thirty times at random points ends with the same bits", "[.slow]") {
  kill_at_random(30, std::random_device()());
}

TEST_CASE("a full disk leaves the old model, and the old checkpoint, from which a run goes on") {
  const Scratch folder;
  make_folder(folder / "whole");
  train_on(folder / "whole");
  for (const bool model_fits : {false, true}) {
    const std::string run = folder / (model_fits ? "checkpoint" : "model");
    make_folder(run);
    CHECK_FALSE(ends_in_child([&] { train_on(run, 20); }));  // two validations
    const std::string model = run + "/model.safetensors", state = run + "/checkpoint.safetensors";
    const std::string old_model = read_file(model), old_state = read_file(state);
    REQUIRE(old_state.size() > 2 * old_model.size());
    {
      const FullDisk disk(model_fits ? old_model.size() : old_model.size() / 2);
      CHECK_THROWS_WITH(train_on(run), ContainsSubstring(model_fits ? state : model) &&
                                           ContainsSubstring("File too large"));
    }
    CHECK(read_file(state) == old_state);
    if (!model_fits) CHECK(read_file(model) == old_model);
    CHECK(names_in(run) == std::vector<std::string>{"checkpoint.safetensors", "model.safetensors"});
    train_on(run);
    CHECK(read_file(model) == read_file(folder / "whole/model.safetensors"));
    CHECK(difference(state, folder / "whole/checkpoint.safetensors") == "");
  }
}

TEST_CASE("a full disk leaves the old report, metrics and configuration", "[cli]") {
  const TrainedRun trained;
  const auto content = [&] {
    std::map<std::string, std::string> all;
    for (const std::string& name : names_in(trained.run))
      all[name] = read_file(trained.run + "/" + name);
    return all;
  };
  const auto before = content();
  REQUIRE(before.size() == 7);
  const size_t model = before.at("model.safetensors").size();
  REQUIRE(before.at("report.html").size() > model);
  Output output{};
  {
    const FullDisk disk(model);
    output = trained.resume();
  }
  CHECK(output.status == 1);
  CHECK_THAT(output.err, ContainsSubstring("report.html (File too large)"));
  auto after = content();
  after["metrics.json"] = before.at("metrics.json");  // it is small: written anew
  CHECK(after == before);
  const RunConfig config = load_config(trained.run);
  const FullDisk disk(10);
  CHECK_THROWS_WITH(save_metrics(trained.run, "pairs", {}),
                    ContainsSubstring("metrics.json (File"));
  CHECK_THROWS_WITH(save_config(trained.run, config), ContainsSubstring("config.json (File"));
  CHECK(names_in(trained.run).size() == before.size());
  CHECK(read_file(trained.config) == before.at("config.json"));
  CHECK_THAT(read_file(trained.run + "/metrics.json"), ContainsSubstring("exact_match"));
}
