// How a training begins and how it is stopped.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "models/train/run_folder.h"
#include "models/train/run_lock.h"
#include "tensor/error.h"
#include "tests/models/cli/run.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

namespace {

// Waits for a file, but not for ever.
void wait_for(const std::string& path) {
  for (int i = 0; i < 20000 && !std::filesystem::exists(path); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("Ctrl-C before the first step writes nothing and says so", "[cli]") {
  const tests::Scratch folder;
  const std::string pipe = folder / "data.tsv";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    const int file = open(pipe.c_str(), O_WRONLY);  // when the training reads
    std::raise(SIGINT);
    const std::string text = tests::lines(200);
    static_cast<void>(!write(file, text.data(), text.size()));
    close(file);
  });
  const tests::Output run = tests::train(pipe, folder / "run");
  writer.join();
  CHECK(run.status == 130);
  CHECK(run.err == "glass: interrupted before the first step; nothing was written\n");
  CHECK(folder.names() == Names{"data.tsv"});
}

TEST_CASE("a training is stopped by a signal, cleanly, and cannot be disturbed by another",
          "[cli]") {
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const tests::Scratch folder;
    write_file_atomically(folder / "data.tsv", tests::lines(200));
    std::string refused;
    std::thread watcher([&, signal = signal] {
      wait_for(folder / "run/config.json");
      try {
        const RunLock second(folder / "run");
      } catch (const std::exception& e) {
        refused = e.what();
      }
      std::raise(signal);
    });
    const tests::Output run = tests::train(folder / "data.tsv", folder / "run", {}, "1000000000");
    watcher.join();
    CHECK(run.status == status);
    CHECK_THAT(run.err, ContainsSubstring("glass: interrupted at step ") &&
                            ContainsSubstring("; continue with: glass train --run " +
                                              (folder / "run") + " --resume\n"));
    CHECK(std::filesystem::exists(folder / "run/checkpoint.safetensors"));
    CHECK_THAT(refused, ContainsSubstring("another training is writing into it"));
  }
}

TEST_CASE("Ctrl-C in the final test stops, and --resume repeats the test", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  write_file_atomically(folder / "test.tsv", tests::lines(3000, 1000));
  std::thread watcher([&] {
    wait_for(folder / "run/metrics.json");  // written after the last step
    std::raise(SIGINT);
  });
  const tests::Output run = tests::train(
      folder / "data.tsv", folder / "run",
      {"--valid", folder / "data.tsv", "--test", folder / "test.tsv", "--beam", "100"});
  watcher.join();
  CHECK(run.status == 130);
  CHECK_THAT(run.err, ContainsSubstring("interrupted in the final test") &&
                          ContainsSubstring("glass train --run " + (folder / "run") + " --resume"));
  CHECK_FALSE(std::filesystem::exists(folder / "run/report.html"));
  CHECK(std::filesystem::exists(folder / "run/checkpoint.safetensors"));
}

TEST_CASE("two trainings do not share a folder", "[cli]") {
  const tests::TrainedRun trained;
  const std::string other = trained.folder / "other";
  std::filesystem::create_directory(other);
  {
    const RunLock first(trained.run), second(other);
    for (const tests::Output& run :
         {trained.resume(), tests::train(trained.folder / "data.tsv", other)}) {
      CHECK(run.status == 1);
      CHECK_THAT(run.err, ContainsSubstring("another training is writing into it: ") &&
                              ContainsSubstring("; wait until it ends, or choose another --run"));
    }
    CHECK(tests::program({"demo", "--run", other}).status == 1);
  }
  CHECK(trained.resume().status == 0);
  CHECK(tests::train(trained.folder / "data.tsv", other).status == 0);
}

TEST_CASE("the demo does not take the place of another run", "[cli]") {
  const tests::TrainedRun trained;
  const std::string before = read_file(trained.run + "/checkpoint.safetensors");
  const tests::Output demo = tests::program({"demo", "--run", trained.run});
  CHECK(demo.status == 1);
  CHECK_THAT(demo.err, ContainsSubstring("demo: this folder holds another run: " + trained.run +
                                         "; choose another --run, or remove it"));
  CHECK(read_file(trained.run + "/checkpoint.safetensors") == before);
}

TEST_CASE("a run that takes an older one's place leaves nothing of it", "[cli]") {
  const tests::TrainedRun trained;
  write_file_atomically(trained.run + "/notes.txt", "mine");
  {
    const RunLock lock(trained.run);
    begin_run(trained.run, load_config(trained.run), true);
  }
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(trained.run))
    if (entry.path().filename() != RunLock::kFile) left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{"config.json", "notes.txt"});
}

TEST_CASE("files of somebody else are not overwritten", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  std::filesystem::create_directory(folder / "run");
  for (const char* name : {"report.html", "metrics.json", "config.json"}) {
    const std::string path = (folder / "run/") + name;
    write_file_atomically(path, "{\"mine\": 1}");
    for (const tests::Output& run : {tests::train(folder / "data.tsv", folder / "run"),
                                     tests::program({"demo", "--run", folder / "run"})}) {
      CHECK(run.status == 1);
      CHECK_THAT(run.err, ContainsSubstring("holds files that are no run of Glass: ") &&
                              ContainsSubstring(text(" has ", name, "; choose another --run")));
    }
    CHECK(read_file(path) == "{\"mine\": 1}");
    std::filesystem::remove(path);
  }
  CHECK(tests::train(folder / "data.tsv", folder / "run").status == 0);
}

TEST_CASE("a training that fails early leaves what was there before, which may be nothing",
          "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  std::signal(SIGXFSZ, SIG_DFL);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  const auto fails = [&](const std::string& where) {
    setrlimit(RLIMIT_FSIZE, &small);
    const tests::Output run = tests::train(folder / "data.tsv", where);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, ContainsSubstring("model.safetensors (File too large)"));
  };
  fails(folder / "runs/deep/run");
  CHECK(folder.names() == Names{"data.tsv"});
  std::filesystem::create_directories(folder / "empty");
  fails(folder / "empty");
  CHECK(std::filesystem::is_empty(folder / "empty"));
  std::filesystem::remove(folder / "empty");
  // A run that was killed before its first checkpoint, with a file half written.
  REQUIRE(tests::train(folder / "data.tsv", folder / "run").status == 0);
  std::filesystem::remove(folder / "run/checkpoint.safetensors");
  write_file_atomically(folder / "run/config.json.tmp-1-0", "{");
  fails(folder / "run");
  CHECK(std::filesystem::exists(folder / "run/config.json"));
  CHECK_FALSE(std::filesystem::exists(folder / "run/config.json.tmp-1-0"));
  std::filesystem::remove_all(folder / "run");
  // Killed before there was even a config.json.
  std::filesystem::create_directory(folder / "run");
  write_file_atomically(folder / "run/config.json.tmp-1-0", "{");
  CHECK(tests::train(folder / "data.tsv", folder / "run").status == 0);
}
