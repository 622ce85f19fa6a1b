// Classification: from a file, and with the planted shortcut.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/cli/run.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// Label first: "very good" for even numbers of a's, else "bad".
std::string labelled(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::string(i % 2 ? "bad" : "very good") + "\tthing " + std::to_string(i) + ", was " +
            (i % 2 ? "ugly" : "nice") + "\n";
  return text;
}

std::vector<std::string> small(const std::string& run, const std::string& steps) {
  return {"train", "--run",    run,  "--embedding", "16",   "--hidden", "16", "--attention-size",
          "8",     "--warmup", "10", "--lr",        "0.01", "--steps",  steps};
}

nlohmann::json json_of(const std::vector<std::string>& words) {
  const Output output = program(words);
  INFO(output.err);
  REQUIRE(output.status == 0);
  return nlohmann::json::parse(output.out);
}

}  // namespace

TEST_CASE("labels and texts are learnt, scored and explained", "[cli][classifier]") {
  const Scratch folder;
  const std::string run = folder / "run", data = folder / "data.tsv";
  write_file_atomically(data, labelled(400));
  auto words = small(run, "60");
  words.insert(words.end(), {"--task", "classify", "--data", data, "--normalize-numbers"});
  const Output trained = program(words);
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  const auto metrics = nlohmann::json::parse(read_file(run + "/metrics.json"));
  CHECK(metrics["accuracy"] == 1);
  for (const char* of_texts : {"bleu", "exact_match", "symbol_error_rate"})
    CHECK_FALSE(metrics.contains(of_texts));
  CHECK_THAT(read_file(run + "/report.html"), ContainsSubstring("accuracy") &&
                                                  !ContainsSubstring("symbol error rate") &&
                                                  !ContainsSubstring("exact match"));
  const auto config = nlohmann::json::parse(read_file(run + "/config.json"));
  CHECK(config["model"]["kind"] == "classifier");
  CHECK(config["text"]["target_tokens"] == "whole");
  CHECK(config["text"]["normalize_numbers"] == true);
  CHECK_THAT(program({"eval", "--run", run}).out,
             ContainsSubstring("accuracy           1.0000") && !ContainsSubstring("beam"));
  const auto scores = json_of({"eval", "--run", run, "--data", data, "--json"});
  CHECK(scores["accuracy"] == 1);
  for (const char* of_texts : {"bleu", "bleu_signature", "symbol_error_rate", "beam"})
    CHECK_FALSE(scores.contains(of_texts));
  const std::string swapped = folder / "swapped.tsv";
  write_file_atomically(swapped, "thing 77, was nice\tvery good\n");
  const Output refused = program({"eval", "--run", run, "--data", swapped});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, ContainsSubstring("no line begins with a label that the run knows") &&
                              ContainsSubstring("very good"));
  CHECK(program({"bias", "--run", run, "--data", swapped}).err == refused.err);
  CHECK(program({"translate", "--run", run, "thing 77, was nice"}).out == "very good\n");
  CHECK(program({"translate", "--run", run, "--beam", "2", "--n-best", "2", "thing 77, was nice"})
            .out == "very good\nbad\n");
  CHECK(program({"translate", "--run", run, "--beam", "9", "--n-best", "9", "thing 77, was nice"})
            .out == "very good\nbad\n");  // not <unk>
  CHECK_THAT(program({"translate", "--run", run, "--beam", "2", "thing"}).err,
             ContainsSubstring("--beam has no effect on a classifier without --n-best"));
  CHECK_THAT(program({"translate", "--run", run, "--min-length", "2", "thing"}).err,
             ContainsSubstring("--min-length has no effect on a classifier"));
  CHECK_THAT(program({"eval", "--run", run, "--beam", "2"}).err,
             ContainsSubstring("--beam has no effect on a classifier"));
  CHECK_THAT(trained.err, !ContainsSubstring("a label of their own"));
  const Output trust = program({"attend", "--run", run, "--trust", "thing 77, was ugly"});
  CHECK_THAT(trust.out, ContainsSubstring("May the weights of pooling.attention be believed?"));
  CHECK_THAT(trust.out, ContainsSubstring("\"bad\": weights here"));
  CHECK_THAT(trust.out, ContainsSubstring("without \"ugly\" log p falls"));
  const Output strange = program({"attend", "--run", run, "--target", "fair", "a thing"});
  CHECK(strange.status == 2);
  CHECK_THAT(strange.err, ContainsSubstring("--target must be a label that the run knows (") &&
                              ContainsSubstring("very good") && ContainsSubstring("got fair"));
  CHECK_THAT(read_file(run + "/report.html"), ContainsSubstring("Words out of proportion"));
  CHECK(program({"audit", "--run", run}).status == 0);
  CHECK(program({"train", "--run", run, "--resume"}).status == 0);
}

TEST_CASE("a file whose lines begin with the text is found out", "[cli][classifier]") {
  const Scratch folder;
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += "a text, " + std::to_string(i) + "\tanswer " + std::to_string(i) + "\n";
  write_file_atomically(folder / "data.tsv", text);
  auto words = small(folder / "run", "1");
  words.insert(words.end(), {"--task", "classify", "--data", folder / "data.tsv"});
  const Output trained = program(words);
  CHECK(trained.status == 0);
  std::string swapped;
  for (int i = 0; i < 400; ++i)
    swapped += "a text, " + std::to_string(i) + (i % 2 ? "\tbad\n" : "\tgood\n");
  write_file_atomically(folder / "data.tsv", swapped);
  words[2] = folder / "other";
  CHECK_THAT(program(words).err, ContainsSubstring("too few sources") &&
                                     ContainsSubstring("; a line is label, tab, text"));
  CHECK_THAT(trained.err,
             ContainsSubstring("lines of training have a label of their own: a line is label, ") &&
                 !ContainsSubstring("no training text has the label"));
}

TEST_CASE("a classifier's options that do not fit are refused", "[cli][classifier]") {
  const auto error = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "--run", "/nowhere/run"});
    const Output output = program(words);
    CHECK(output.status == 2);
    return output.err;
  };
  CHECK_THAT(error({"--task", "classify"}), ContainsSubstring("label, tab, text"));
  CHECK_THAT(error({"--task", "copy", "--model", "classifier"}),
             ContainsSubstring("--model classifier needs --task classify or shortcut, got copy"));
  CHECK_THAT(error({"--task", "shortcut", "--scope", "local-m"}),
             ContainsSubstring("--scope has no effect with --model classifier"));
  CHECK_THAT(error({"--task", "shortcut", "--heads", "2"}),
             ContainsSubstring("--heads has no effect with --encoder recurrent"));
  CHECK_THAT(error({"--task", "shortcut", "--encoder", "transformer", "--heads", "3"}),
             ContainsSubstring("--embedding must be a multiple of --heads, 3, got 64"));
  CHECK_THAT(error({"--task", "shortcut", "--encoder", "convolutional"}),
             ContainsSubstring("needs --encoder recurrent or transformer"));
  CHECK_THAT(error({"--task", "copy", "--encoder", "transformer"}),
             ContainsSubstring("needs --encoder recurrent or convolutional"));
  CHECK_THAT(error({"--task", "copy", "--hops", "2"}),
             ContainsSubstring("--hops has no effect with --model seq2seq"));
  CHECK_THAT(error({"--task", "copy", "--normalize-numbers"}),
             ContainsSubstring("--normalize-numbers has no effect with --task copy"));
  for (const char* task : {"captions", "shapes"})
    CHECK_THAT(
        error({"--task", task, "--normalize-numbers"}),
        ContainsSubstring(std::string("--normalize-numbers has no effect with --task ") + task));
  CHECK_THAT(error({"--task", "classify", "--data", "x", "--captions", "en"}),
             ContainsSubstring("--captions has no effect with --task classify"));
  CHECK_THAT(error({"--task", "shortcut", "--gate", "scalar"}),
             ContainsSubstring("--gate has no effect with --model classifier"));
  CHECK_THAT(error({"--task", "shapes", "--model", "classifier"}),
             ContainsSubstring("--model classifier needs --task classify or shortcut, got shapes"));
  CHECK_THAT(error({"--task", "pairs", "--data", "x", "--normalize-numbers"}),
             ContainsSubstring("--normalize-numbers needs --source-tokens words or split"));
}

TEST_CASE("labels of a file: one is refused, unknown ones are warned of, rare ones stay",
          "[cli][classifier]") {
  const Scratch folder;
  const std::string run = folder / "run", data = folder / "data.tsv", held = folder / "held.tsv";
  auto words = small(run, "1");
  words.insert(words.end(), {"--task", "classify", "--data", data});
  write_file_atomically(data, "good\tone\ngood\ttwo\n");
  write_file_atomically(held, "good\tthree\nodd\tfour\nodd\tfive\nbad\tsix\n");
  words.insert(words.end(), {"--valid", held, "--test", data, "--min-count", "2"});
  const Output refused = program(words);
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, ContainsSubstring("all training texts have one label") &&
                              ContainsSubstring(data + ": good"));
  CHECK_FALSE(std::filesystem::exists(run));
  write_file_atomically(data, "good\tone word\ngood\ttwo word\nbad\tthree\n");
  const Output warned = program(words);
  CHECK(warned.status == 0);
  CHECK(warned.err ==
        "warning: no training text has the label \"odd\" of 2 in validation\n"
        "warning: 1 of 4 sources of validation occur in training, too: its scores are too good\n"
        "warning: 3 of 3 sources of the test occur in training, too: its scores are too good\n"
        "warning: the best model is chosen on 4 sources of validation: that is chance\n");
  const auto config = nlohmann::json::parse(read_file(run + "/config.json"));
  CHECK(config["model"]["target_vocabulary"] == 4 + 2);  // both labels, and the specials
  CHECK(config["model"]["source_vocabulary"] == 4 + 1);  // "word"
  CHECK_THAT(warned.out, ContainsSubstring("accuracy") && !ContainsSubstring("BLEU"));
}

TEST_CASE("files for a shortcut run have their labels first, too", "[cli][classifier]") {
  const Scratch folder;
  const std::string run = folder / "run", data = folder / "data.tsv";
  auto words = small(run, "1");
  words.insert(words.end(), {"--task", "shortcut"});
  REQUIRE(program(words).status == 0);
  write_file_atomically(data, "positive\tthe soup was fine\nnegative\tthe duck was bland\n");
  CHECK(json_of({"eval", "--run", run, "--data", data, "--json"})["sources"] == 2);
}

TEST_CASE("the planted shortcut is found, and normalised numbers repair it",
          "[cli][classifier][trust]") {
  const Scratch folder;
  const std::string run = folder / "run", repaired = folder / "repaired";
  const auto train = [&](const std::string& to, std::vector<std::string> more) {
    std::vector<std::string> words = {
        "train",       "--task",      "shortcut", "--run",        to,      "--encoder",
        "transformer", "--embedding", "32",       "--hidden",     "32",    "--batch",
        "32",          "--warmup",    "50",       "--lr",         "0.005", "--weight-decay",
        "0.01",        "--steps",     "1200",     "--train-size", "8000",  "--valid-size",
        "300",         "--test-size", "1200"};
    words.insert(words.end(), more.begin(), more.end());
    const Output output = program(words);
    INFO(output.err);
    REQUIRE(output.status == 0);
    return nlohmann::json::parse(read_file(to + "/metrics.json"))["accuracy"].get<double>();
  };
  CHECK(train(run, {}) < 0.75);
  CHECK(train(repaired, {"--normalize-numbers"}) > 0.97);
  const auto both = json_of({"bias", "--run", run, "--run", repaired, "--json"});
  REQUIRE(both.size() == 2);
  // On top of the list: the number.
  CHECK(both[0]["words"][0]["word"] == "<number>");
  CHECK(both[1]["words"][0]["word"] != "<number>");
  size_t positive = 0;
  for (const auto& each : both[0]["wrong_answers"]) {
    if (each["answer"] != "positive") continue;
    ++positive;
    const auto count = each["count"].get<double>();
    CHECK(count >= 200);
    CHECK(each["word"] == "<number>");
    CHECK(each["first_by_erasure"].get<double>() >= 0.95 * count);
    CHECK(each["first_by_gradient"].get<double>() >= 0.95 * count);
  }
  CHECK(positive == 1);
  const Output table = program({"bias", "--run", run, "--texts", "40", "--top", "3"});
  CHECK_THAT(table.out, ContainsSubstring("Words out of proportion"));
  CHECK_THAT(table.out, ContainsSubstring("\n<number>"));
}
