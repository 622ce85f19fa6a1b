// A run that reads pictures, from the command line.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/image/formats.h"
#include "tensor/safetensors.h"
#include "tests/models/cli/run.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

struct PictureRun {
  Scratch folder;
  std::string data = folder / "data.tsv", run = folder / "run";

  explicit PictureRun(const std::vector<std::string>& more = {}) {
    std::string table = "image\tsplit\ten\n";
    for (int i = 0; i < 12; ++i) {
      Image image(6, 6, 255);
      for (size_t k = static_cast<size_t>(i % 3); k < image.rgb.size(); k += 3) image.rgb[k] = 0;
      const std::string name = "p" + std::to_string(i) + ".png";
      write_png(folder / name, image);
      table += name + "\t" +
               (i < 8    ? "train"
                : i < 10 ? "val"
                         : "test") +
               "\tnumber " + std::to_string(i % 3) + "\n";
    }
    write_file_atomically(data, table);
    const Output output = train(more);
    INFO(output.err);
    REQUIRE(output.status == 0);
  }
  Output train(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "train", "--task",         "captions", "--data",     data, "--run",
        run,     "--picture-size", "8",        "--channels", "4",  "--stages",
        "1",     "--batch",        "4",        "--steps",    "2"};
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  }
  Output on(const std::string& command, std::vector<std::string> words) const {
    words.insert(words.begin(), {command, "--run", run});
    return program(words);
  }
};

const std::vector<std::string> kSmall = {"--embedding",      "3", "--hidden", "4",
                                         "--attention-size", "3"};

std::vector<std::string> with_small(std::vector<std::string> words) {
  words.insert(words.end(), kSmall.begin(), kSmall.end());
  return words;
}

}  // namespace

TEST_CASE("a picture may have more places than a text tokens", "[cli][captions]") {
  const PictureRun small(kSmall);
  std::vector<std::string> words = {"train",
                                    "--task",
                                    "captions",
                                    "--data",
                                    small.data,
                                    "--run",
                                    small.folder / "large",
                                    "--picture-size",
                                    "101",
                                    "--stages",
                                    "0",
                                    "--channels",
                                    "1",
                                    "--batch",
                                    "1",
                                    "--steps",
                                    "1"};
  words.insert(words.end(), kSmall.begin(), kSmall.end());
  const Output trained = program(words);
  INFO(trained.err);
  CHECK(trained.status == 0);
}

TEST_CASE("a run that reads pictures trains, resumes, captions, is scored and drawn",
          "[cli][captions]") {
  for (const auto& more : {with_small({"--gate", "scalar", "--doubly-stochastic", "1"}),
                           with_small({"--attention", "after", "--sentinel"}),
                           std::vector<std::string>{"--model", "transformer", "--d-model", "4",
                                                    "--heads", "2", "--ffn", "4"}}) {
    const PictureRun trained(more);
    const std::string picture = trained.folder / "p3.png";
    const auto config = nlohmann::json::parse(read_file(trained.run + "/config.json"));
    CHECK(config["task"] == "captions");
    CHECK(config["text"]["picture_size"] == 8);
    CHECK(config["text"]["target_tokens"] == "words");
    CHECK(config["model"]["picture"]["channels"] == 4);
    const auto metrics = nlohmann::json::parse(read_file(trained.run + "/metrics.json"));
    CHECK(metrics.contains("cider_d"));
    CHECK_FALSE(metrics.contains("attention_iou"));  // no scenes: no truth
    const Output again = trained.on("train", {"--resume"});
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK_THAT(again.out, ContainsSubstring("continuing at step 2"));
    const Output alone = trained.on("translate", {picture});
    CHECK(alone.status == 0);
    CHECK_THAT(alone.err, !ContainsSubstring("not translated"));
    const Output others = trained.on("translate", {trained.folder / "none.png", picture});
    CHECK(others.status == 1);
    CHECK(others.out == "\n" + alone.out);
    CHECK_THAT(others.err,
               ContainsSubstring("not translated, text 1: ") && ContainsSubstring("none.png"));
    CHECK(trained.on("translate", {"--attention", picture}).status == 2);
    const Output scored = trained.on("eval", {"--split", "valid"});
    CHECK(scored.status == 0);
    CHECK_THAT(scored.out, ContainsSubstring("cider_d"));
    const std::string sheet = trained.folder / "a.png", page = trained.folder / "a.html";
    const Output drawn = trained.on(
        "attend", {"--target", "number 0", "--png", sheet, "--html", page, "--json", picture});
    INFO(drawn.err);
    REQUIRE(drawn.status == 0);
    CHECK(read_image(sheet).width == 12 + 3 * 156);
    CHECK_THAT(read_file(page), ContainsSubstring("class=\"word\" tabindex=\"0\">number"));
    const auto data = nlohmann::json::parse(drawn.out);
    CHECK(data["source"].size() == 16);
    CHECK(data["source"][5] == "1,1");
    const auto& layer = data["layers"].back();
    CHECK(layer.contains("gate") == (more[0] == "--gate"));
    CHECK(layer.contains("sentinel") == (more[0] == "--attention"));
    CHECK_THAT(trained.on("attend", {"--target", "number 0", picture}).out,
               ContainsSubstring("p3.png: number 0") && ContainsSubstring("row"));
    CHECK(trained.on("attend", {"--svg", trained.folder / "a.svg", picture}).status == 2);
    CHECK(trained.on("attend", {"--target", "number 0", trained.folder / "none.png"}).status == 1);
    CHECK(trained.on("audit", {}).status == 0);
    const Output trust = trained.on("attend", {"--trust", "--target", "number 0", picture});
    INFO(trust.err);
    REQUIRE(trust.status == 0);
    CHECK_THAT(trust.out, ContainsSubstring("p3.png: number 0\nMay the weights of ") &&
                              ContainsSubstring("\n\"number\": weights here") &&
                              ContainsSubstring("\n\"0\": weights here"));
    const int64_t high = read_image(sheet).height;
    const Output examined = trained.on("attend", {"--trust", "--target", "number 0", "--png", sheet,
                                                  "--html", page, "--json", picture});
    REQUIRE(examined.status == 0);
    CHECK(read_image(sheet).height > high);
    CHECK_THAT(read_file(page), ContainsSubstring("May the weights be believed?") &&
                                    ContainsSubstring("<small>covered</small>"));
    const auto tokens = nlohmann::json::parse(examined.out)["trust"]["tokens"];
    REQUIRE(tokens.size() == 2);
    for (const char* key : {"weights", "gradient", "input_gradient", "erasure"})
      CHECK(tokens[1][key].size() == 16);
    const Output bias = trained.on("bias", {"--split", "valid", "--html", page});
    INFO(bias.err);
    REQUIRE(bias.status == 0);
    CHECK_THAT(bias.out, ContainsSubstring("effect by cell") &&
                             ContainsSubstring("Regions out of proportion") &&
                             ContainsSubstring("2 answers"));
    CHECK_THAT(read_file(page), ContainsSubstring("Regions out of proportion"));
    CHECK_THAT(trained.on("bias", {"--data", trained.data}).err,
               ContainsSubstring("leave out --data"));
  }
}

TEST_CASE("a frozen encoder begins with another run's weights and keeps them", "[cli][captions]") {
  const PictureRun first(kSmall);
  const std::string weights = first.run + "/model.safetensors";
  const PictureRun second(with_small({"--encoder-weights", weights, "--freeze-encoder"}));
  const NamedTensors a = load_safetensors(weights);
  const NamedTensors b = load_safetensors(second.run + "/model.safetensors");
  int same = 0;
  for (const auto& [name, tensor] : a.tensors)
    if (name.starts_with("encoder.picture.") && tensor.dtype() == kFloat32) {
      CHECK(tensor.to_vector<float>() == b.at(name).to_vector<float>());
      ++same;
    }
  CHECK(same > 5);
  CHECK(a.at("decoder.output.weight").to_vector<float>() !=
        b.at("decoder.output.weight").to_vector<float>());
}

TEST_CASE("options that pictures have no use for are refused", "[cli][captions]") {
  const auto refused = [](std::vector<std::string> words, const char* part) {
    words.insert(words.begin(), {"train", "--task"});
    const Output output = program(words);
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring(part));
  };
  refused({"captions"}, "--task captions needs --data FILE");
  refused({"captions", "--data", "x.tsv", "--captions", ""}, "--captions must name columns");
  refused({"shapes", "--data", "x.tsv"}, "--task shapes makes its own data");
  refused({"shapes", "--picture-size", "9"}, "--picture-size has no effect with --task shapes");
  refused({"shapes", "--source-tokens", "words"},
          "--source-tokens has no effect with --task shapes");
  refused({"shapes", "--one-way"}, "--one-way has no effect with sources that are pictures");
  refused({"shapes", "--layers", "2"}, "--layers has no effect");
  refused({"shapes", "--scope", "local-m"}, "the cells of a picture have none");
  refused({"shapes", "--channels", "6"}, "--channels must be a multiple of 4");
  for (const auto& more : {std::vector<std::string>{}, {"--one-way"}, {"--layers", "1"}}) {
    std::vector<std::string> words = {"shapes", "--bridge", "copy"};
    words.insert(words.end(), more.begin(), more.end());
    refused(words,
            "--bridge copy needs sources that are texts, --encoder recurrent, --one-way, and as "
            "many --layers as --decoder-layers, got pictures;");
  }
  refused({"shapes", "--sentinel"},
          "--sentinel needs --attention after, --cell lstm, --scope global, --normalizer softmax "
          "or hard, any --score but location, and no --coverage, got before, lstm, global, "
          "softmax, additive;");
  refused({"shapes", "--attention", "after", "--gate", "scalar"}, "--gate has no effect");
  refused({"shapes", "--doubly-target", "share"}, "--doubly-target has no effect");
  refused({"dates", "--channels", "8"}, "--channels has no effect with sources that are texts");
  refused({"dates", "--layers", "0"}, "--layers must be at least 1");
}
