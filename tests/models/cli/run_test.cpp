// Training, resuming and translating as a user does, with a model of a few numbers.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tensor/file.h"
#include "tensor/precision.h"
#include "tensor/safetensors.h"
#include "tests/catch.h"
#include "tests/models/cli/run.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

// Until the end of the scope.
struct WorkingFolder {
  explicit WorkingFolder(const std::string& path) { std::filesystem::current_path(path); }
  ~WorkingFolder() { std::filesystem::current_path(before); }
  std::filesystem::path before = std::filesystem::current_path();
};

}  // namespace

TEST_CASE("a training that is refused leaves no folder and says why", "[cli]") {
  const tests::Scratch folder;
  const auto refusal = [&](const std::string& content, const Words& more) {
    write_file_atomically(folder / "data.tsv", content);
    const tests::Output run = tests::train(folder / "data.tsv", folder / "run", more);
    CHECK(run.status == 1);
    CHECK(folder.names() == std::vector<std::string>{"data.tsv"});
    return run.err;
  };
  CHECK_THAT(refusal(tests::lines(12), {}),
             ContainsSubstring("data.tsv has 12, about 100 are needed"));
  CHECK_THAT(
      refusal(tests::lines(3) + "no tab\n\nside \t \n" + "none\nnone\n" + tests::lines(2, 3), {}),
      ContainsSubstring("too few sources"));
  CHECK_THAT(refusal("\n" + tests::lines(3) + "no tab\n \t \nside \t \nnone\nnone\n", {}),
             ContainsSubstring("most lines are not source TAB target: ") &&
                 ContainsSubstring("data.tsv: 4 of 7, the first is line 5\n"));
  CHECK_THAT(refusal(tests::lines(200), {"--min-count", "5000"}),
             ContainsSubstring("--min-count leaves no token of the sources but <unk>") &&
                 ContainsSubstring("no token is 5000 times in the training data"));
  std::filesystem::remove(folder / "data.tsv");
  CHECK_THAT(tests::train(folder / "data.tsv", folder / "run").err,
             ContainsSubstring("cannot be opened"));
  CHECK(folder.names().empty());
}

TEST_CASE("a few bad lines are a warning that shows nothing raw", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "da\x1bta.tsv", tests::lines(200) + "no tab\n");
  const tests::Output run = tests::train(folder / "da\x1bta.tsv", folder / "run");
  CHECK(run.status == 0);
  CHECK_THAT(run.err, ContainsSubstring("da\uFFFDta.tsv: fewer than two columns") &&
                          ContainsSubstring("1 line (201)"));
  CHECK(run.err.find('\x1b') == std::string::npos);
}

TEST_CASE("a run resumes from any folder, with the data it began with only", "[cli]") {
  const tests::Scratch folder;
  std::filesystem::create_directory(folder / "elsewhere");
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  {
    const WorkingFolder here(folder.path());
    REQUIRE(tests::train("./data.tsv", "run").status == 0);
  }
  const WorkingFolder here(folder / "elsewhere");
  const auto config = nlohmann::json::parse(read_file(folder / "run/config.json"));
  CHECK(std::filesystem::path(config["files"]["data"].get<std::string>()).is_absolute());
  CHECK(config["files"]["stamps"]["data"]["bytes"] == tests::lines(200).size());
  tests::Output resumed = tests::program({"train", "--run", "../run", "--resume"});
  INFO(resumed.err);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.out, ContainsSubstring("continuing at step 2"));

  std::string changed = tests::lines(200);
  changed[changed.size() - 2] = 'x';
  write_file_atomically(folder / "data.tsv", changed);
  resumed = tests::program({"train", "--run", "../run", "--resume"});
  CHECK(resumed.status == 1);
  CHECK_THAT(resumed.err, ContainsSubstring("a data file has changed since the run began: ") &&
                              ContainsSubstring("/data.tsv: ") &&
                              ContainsSubstring("start a new run with another --run"));
}

TEST_CASE("a run folder that is none is refused with the reason", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "file", "");
  const auto error = [](const std::string& run) {
    const tests::Output output = tests::program({"translate", "--run", run, "x"});
    CHECK(output.status == 1);
    return output.err;
  };
  CHECK(error(folder / "file") ==
        "glass: run folder: is a file, not a folder: " + (folder / "file") + "\n");
  CHECK(error(folder / "none") == "glass: run folder: does not exist: " + (folder / "none") + "\n");
  CHECK_THAT(error(folder.path()), ContainsSubstring("has no config.json"));
}

TEST_CASE("a damaged config.json is named with its entry, what was met and what is right",
          "[cli]") {
  const tests::TrainedRun trained;
  const std::string whole = read_file(trained.config);
  const auto error = [&](const std::string& content) {
    write_file_atomically(trained.config, content);
    const tests::Output output = trained.translate({"7"});
    CHECK(output.status == 1);
    CHECK_THAT(output.err, ContainsSubstring("glass: " + trained.config));
    return output.err;
  };
  const auto with = [&](const char* pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(whole);
    json[nlohmann::json::json_pointer(pointer)] = value;
    return error(json.dump());
  };
  CHECK_THAT(with("/model/hidden", 0),
             ContainsSubstring("config.json, model: hidden must be a whole number from 1 to 65536: "
                               "got 0\n"));
  CHECK_THAT(with("/model/layers", -1),
             ContainsSubstring("model: layers must be a whole number from 1 to 64: got -1\n"));
  CHECK_THAT(
      with("/model/dropout", "much"),
      ContainsSubstring("model: dropout must be a number from 0 to below 1: got \"much\"\n"));
  CHECK_THAT(with("/model/attention/scope", "foo"),
             ContainsSubstring("no scope of this name: foo"));
  CHECK_THAT(with("/model/sampling", "foo"), ContainsSubstring("no schedule of this name: foo"));
  CHECK_THAT(with("/model/cell", "mlp"),
             ContainsSubstring("model: cell must be lstm, gru or rnn: got"));
  CHECK_THAT(with("/model", 3), ContainsSubstring("model: must be an object: got number\n"));
  CHECK_THAT(with("/training/lr", nullptr),
             ContainsSubstring("training: lr must be a number above 0 and at most 1000: got null"));
  CHECK_THAT(with("/training/schedule", "sine"), ContainsSubstring("got sine"));
  CHECK_THAT(with("/training/matmul_precision", "low"),
             ContainsSubstring("training: matmul_precision must be highest or medium: got low\n"));
  CHECK_THAT(with("/training/seed", -3),
             ContainsSubstring("training: seed must be a whole number"));
  CHECK_THAT(with("/beam", 0), ContainsSubstring("top level: beam must be a whole number"));
  CHECK_THAT(with("/task", "x"),
             ContainsSubstring("task: must be dates, copy, reverse, stretch, sort, "
                               "toy-mt, shapes, shortcut, pairs, captions or classify: got x"));
  CHECK_THAT(with("/files/data", 1), ContainsSubstring("files: data must be a text: got 1"));
  CHECK_THAT(with("/files/stamps/data", 1), ContainsSubstring("files, stamps: must be an object"));
  CHECK_THAT(with("/text/source_tokens", "bytes"),
             ContainsSubstring("text, source_tokens: tokens are chars, words, split or whole"));
  CHECK_THAT(with("/text/source_vocabulary", 1),
             ContainsSubstring("text, source_vocabulary: an array is missing"));
  CHECK_THAT(with("/model/source_vocabulary", 999),
             ContainsSubstring("model: source_vocabulary must be the size of text, "
                               "source_vocabulary: ") &&
                 ContainsSubstring("got 999"));
  CHECK_THAT(error(whole.substr(0, whole.size() / 2)),
             ContainsSubstring("config.json: is not JSON: line "));
  CHECK_THAT(error(""), ContainsSubstring("is not JSON: line 1, column 1\n"));
  std::string twice = whole;
  twice.insert(1, "\"beam\": 2,");
  CHECK_THAT(error(twice), ContainsSubstring("a key occurs twice in an object: \"beam\"\n"));
  CHECK_THAT(error("{}"), ContainsSubstring("top level: an entry is missing: task"));
}

TEST_CASE("weights that do not fit config.json are named with their file, in a short line",
          "[cli]") {
  const tests::TrainedRun trained;
  auto config = nlohmann::json::parse(read_file(trained.config));
  config["model"]["hidden"] = 4;
  write_file_atomically(trained.config, config.dump());
  for (const char* name : {"model.safetensors", "checkpoint.safetensors"}) {
    const tests::Output output = name[0] == 'm' ? trained.translate({"7"}) : trained.resume();
    CHECK(output.status == 1);
    CHECK_THAT(output.err, ContainsSubstring("glass: " + trained.run + "/" + name +
                                             ": does not fit the config.json beside it: wrong "
                                             "shape or type: encoder.rnn.weight_ih_l0 is [12, 3]"));
    CHECK(output.err.size() < 250);
  }
}

TEST_CASE("weights that are no numbers are refused by name", "[cli]") {
  const tests::TrainedRun trained;
  for (const char* name : {"model.safetensors", "checkpoint.safetensors"}) {
    const std::string path = trained.run + "/" + name;
    const NamedTensors all = load_safetensors(path);
    all.tensors[1].second.data<float>()[0] = NAN;
    save_safetensors(path, all);
    const tests::Output output = name[0] == 'm' ? trained.translate({"7"}) : trained.resume();
    CHECK(output.status == 1);
    CHECK_THAT(output.err, ContainsSubstring(path + ": a weight is no finite number: " +
                                             all.tensors[1].first + " has nan at element 0 of"));
  }
}

TEST_CASE("a model without attention trains and translates, and has nothing to draw", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  const std::string run = folder / "run";
  const tests::Output trained =
      tests::program({"train", "--data", folder / "data.tsv", "--run", run, "--embedding", "3",
                      "--hidden", "3", "--attention", "none", "--steps", "2"});
  INFO(trained.err);
  CHECK(trained.status == 0);
  CHECK(tests::program({"translate", "--run", run, "7"}).status == 0);
  const tests::Output drawn = tests::program({"translate", "--run", run, "--attention", "7"});
  CHECK(drawn.status == 1);
  CHECK_THAT(drawn.err, ContainsSubstring("has no attention to draw"));
  const tests::TrainedRun attending;
  const tests::Output bias = tests::program({"bias", "--run", attending.run, "--run", run});
  CHECK(bias.status == 1);
  CHECK(bias.out.empty());
  CHECK_THAT(bias.err, ContainsSubstring("has no attention to look at: " + run));
}

TEST_CASE("a Transformer trains, resumes and translates like any model", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  const std::string run = folder / "run";
  const tests::Output trained = tests::program({"train",
                                                "--data",
                                                folder / "data.tsv",
                                                "--run",
                                                run,
                                                "--model",
                                                "transformer",
                                                "--d-model",
                                                "4",
                                                "--heads",
                                                "2",
                                                "--ffn",
                                                "5",
                                                "--layers",
                                                "1",
                                                "--norm-first",
                                                "--tied",
                                                "--label-smoothing",
                                                "0.1",
                                                "--schedule",
                                                "inverse-sqrt",
                                                "--warmup",
                                                "1",
                                                "--steps",
                                                "3"});
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  CHECK(std::filesystem::exists(run + "/report.html"));
  auto config = nlohmann::json::parse(read_file(run + "/config.json"));
  const nlohmann::json wanted = {{"kind", "transformer"},
                                 {"d_model", 4},
                                 {"ffn", 5},
                                 {"heads", 2},
                                 {"layers", 1},
                                 {"decoder_layers", 2},
                                 {"dropout", 0.1},
                                 {"label_smoothing", 0.1},
                                 {"norm_first", true},
                                 {"tied", true},
                                 {"source_vocabulary", config["model"]["source_vocabulary"]},
                                 {"target_vocabulary", config["model"]["target_vocabulary"]}};
  CHECK(config["model"] == wanted);
  CHECK(config["training"]["beta2"] == 0.98);
  CHECK(config["training"]["eps"] == 1e-9);
  CHECK(tests::program({"train", "--run", run, "--resume"}).status == 0);
  const tests::Output drawn = tests::program({"translate", "--run", run, "--attention", "7"});
  INFO(drawn.err);
  CHECK(drawn.status == 0);
  CHECK(tests::program({"audit", "--run", run}).status == 0);
  CHECK(tests::program({"attend", "--run", run, "--list", "--target", "3", "7"}).out ==
        "transformer.encoder.layers.0.self_attn  2 heads, 1 × 1\n"
        "transformer.decoder.layers.0.self_attn  2 heads, 1 × 1\n"
        "transformer.decoder.layers.0.multihead_attn  2 heads, 1 × 1\n"
        "transformer.decoder.layers.1.self_attn  2 heads, 1 × 1\n"
        "transformer.decoder.layers.1.multihead_attn  2 heads, 1 × 1\n");
  config["model"]["kind"] = "perceptron";
  write_file_atomically(run + "/config.json", config.dump());
  CHECK_THAT(
      tests::program({"translate", "--run", run, "7"}).err,
      ContainsSubstring("model: kind must be seq2seq, transformer or classifier: got perceptron"));
}

TEST_CASE("a task with known alignments makes its data, reports its error rate and resumes",
          "[cli]") {
  const tests::Scratch folder;
  const std::string run = folder / "run";
  const tests::Output trained = tests::program(
      {"train", "--task",       "stretch", "--run",        run, "--train-size", "80", "--test-size",
       "9",     "--valid-size", "8",       "--min-length", "2", "--max-length", "4",  "--alphabet",
       "7",     "--repeat",     "6",       "--embedding",  "3", "--hidden",     "3",  "--steps",
       "2"});
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  CHECK_THAT(trained.out,
             ContainsSubstring("stretch: 80 training pairs, 8 validation sources and 9 test") &&
                 ContainsSubstring("test: alignment error rate of the attention 0."));
  const auto config = nlohmann::json::parse(read_file(run + "/config.json"));
  CHECK(config["task_options"] == nlohmann::json::parse(R"({"train": 80, "valid": 8, "test": 9,
      "min_length": 2, "max_length": 4, "alphabet": 7, "repeat": 6})"));
  CHECK(config["text"]["growth"] == 4);  // 24 letters of 4, and the end: 4·4 + 10
  const auto metrics = nlohmann::json::parse(read_file(run + "/metrics.json"));
  const double rate = metrics["alignment_error_rate"];
  CHECK(rate > 0);
  CHECK(rate < 1);
  const auto scored = nlohmann::json::parse(tests::program({"eval", "--run", run, "--json"}).out);
  CHECK(scored["alignment_error_rate"] == rate);
  CHECK(scored["exact_match"] == metrics["exact_match"]);
  CHECK_THAT(tests::program({"eval", "--run", run, "--split", "valid"}).out,
             ContainsSubstring("alignment errors"));
  CHECK(tests::program({"train", "--run", run, "--resume"}).status == 0);
  CHECK(nlohmann::json::parse(read_file(run + "/metrics.json"))["alignment_error_rate"] == rate);
}

TEST_CASE("Adam's constants, the average of the weights and others are options of a run", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  const auto training = [&](const std::string& run, const Words& more) {
    const tests::Output output = tests::train(folder / "data.tsv", folder / run, more, "12");
    INFO(output.err);
    REQUIRE(output.status == 0);
    return nlohmann::json::parse(read_file((folder / run) + "/config.json"))["training"];
  };
  const auto plain = training("plain", {});
  CHECK(plain["beta1"] == 0.9);
  CHECK(plain["beta2"] == 0.999);
  CHECK(plain["ema"] == 0);
  const auto other = training("other", {"--beta1", "0.8", "--beta2", "0.98", "--eps", "1e-6"});
  CHECK(other["beta1"] == 0.8);
  CHECK(other["beta2"] == 0.98);
  CHECK(other["eps"] == 1e-6);
  const auto weights = [&](const std::string& run) {
    return read_file((folder / run) + "/model.safetensors");
  };
  CHECK(weights("plain") != weights("other"));
  CHECK(training("ema", {"--ema", "0.9"})["ema"] == 0.9);
  CHECK(weights("plain") != weights("ema"));
  CHECK(plain["matmul_precision"] == "highest");
  CHECK(training("medium", {"--matmul-precision", "medium"})["matmul_precision"] == "medium");
  const std::string said =
      tests::train(folder / "data.tsv", folder / "again", {"--matmul-precision", "medium"}, "2")
          .out;
  CHECK((said.find("--matmul-precision medium has no effect") == std::string::npos) ==
        has_bfloat16_units());
  const auto sampling = [&](const Words& more) {
    Words words{"--sampling", "exponential"};
    words.insert(words.end(), more.begin(), more.end());
    training("sampling" + std::to_string(more.size()), words);
    return nlohmann::json::parse(read_file((folder / ("sampling" + std::to_string(more.size()))) +
                                           "/config.json"))["model"]["sampling_k"];
  };
  CHECK(sampling({}) == 0.9999);
  CHECK(sampling({"--sampling-k", "0.99"}) == 0.99);
  // The best model is the average; the weights that go on are those of a run without.
  const NamedTensors averaged = load_safetensors((folder / "ema") + "/checkpoint.safetensors");
  const NamedTensors last = load_safetensors((folder / "plain") + "/checkpoint.safetensors");
  for (const auto& [name, tensor] : last.tensors)
    if (name.starts_with("model."))
      CHECK(averaged.at(name).to_vector<float>() == tensor.to_vector<float>());
  CHECK(averaged.find("average.0") != nullptr);
  CHECK(averaged.at("best.encoder.embedding.weight").to_vector<float>() ==
        averaged.at("average.0").to_vector<float>());
}

TEST_CASE("metrics.json tells the time of a step and what attention costs", "[cli]") {
  const tests::TrainedRun trained;
  const auto metrics = nlohmann::json::parse(read_file(trained.run + "/metrics.json"));
  CHECK(metrics["seconds_per_step"] > 0);
  CHECK(metrics["seconds_per_step"].get<double>() * 2 <= metrics["seconds"].get<double>());
  CHECK(metrics["attention_multiply_adds"] > 0);
}

TEST_CASE("a run of a version with one kind of model and one Adam goes on", "[cli]") {
  const tests::TrainedRun trained;
  auto config = nlohmann::json::parse(read_file(trained.config));
  CHECK(config["model"]["kind"] == "seq2seq");
  CHECK(config["training"]["beta2"] == 0.999);
  const std::string now = trained.translate({"7", "14"}).out;
  config["model"].erase("kind");
  config["model"].erase("bridge");
  config["text"].erase("growth");
  config["training"].erase("beta1");
  config["training"].erase("ema");
  config["training"].erase("beta2");
  config["training"].erase("eps");
  write_file_atomically(trained.config, config.dump());
  CHECK(trained.translate({"7", "14"}).out == now);
  CHECK(trained.resume().status == 0);
}
