// attend, eval and audit on a run of a few numbers.
#include <nlohmann/json.hpp>

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/cli/run.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Output on(const std::string& command, const TrainedRun& run, std::vector<std::string> words) {
  words.insert(words.begin(), {command, "--run", run.run});
  return program(words);
}

}  // namespace

TEST_CASE("attend draws a layer's heads and writes them as data", "[cli]") {
  const TrainedRun trained;
  const Output drawn = on("attend", trained, {"--target", "42", "123"});
  INFO(drawn.err);
  CHECK(drawn.status == 0);
  CHECK_THAT(drawn.out, ContainsSubstring("123 → 42"));
  CHECK(on("attend", trained, {"--list", "123", "--target", "42"}).out ==
        "decoder.attention  1 head, 2 × 3\n");
  const std::string svg = trained.folder / "a.svg";
  const std::string npy = trained.folder / "a.npy", html = trained.folder / "a.html";
  const Output printed =
      on("attend", trained,
         {"--target", "42", "--json", "--svg", svg, "--npy", npy, "--html", html, "123"});
  REQUIRE(printed.status == 0);
  const auto data = nlohmann::json::parse(printed.out);
  CHECK(data["source"] == nlohmann::json({"1", "2", "3"}));
  const auto layer = data["layers"][0];
  REQUIRE(layer["weights"][0].size() == 2);
  double total = 0;
  for (const double w : layer["weights"][0][1]) total += w;
  CHECK(total == Approx(1).epsilon(1e-6));
  CHECK(layer["mass"][0][1] == Approx(1).epsilon(1e-6));
  CHECK_THAT(read_file(svg), ContainsSubstring("<svg"));
  CHECK_THAT(read_file(html), ContainsSubstring("<svg"));
  CHECK(read_file(npy).substr(1, 5) == "NUMPY");
  REQUIRE(on("attend", trained, {"--head", "all", "--svg", svg, "123"}).status == 0);
  CHECK_THAT(read_file(svg), ContainsSubstring("<svg"));
}

TEST_CASE("attend --trust holds the weights against their effect", "[cli][trust]") {
  const TrainedRun trained;
  const Output said = on("attend", trained, {"--trust", "--target", "42", "123"});
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, ContainsSubstring("May the weights of decoder.attention be believed?"));
  CHECK_THAT(said.out, ContainsSubstring("\n\"4\": weights here"));
  CHECK_THAT(said.out, ContainsSubstring("\n\"2\": weights here"));
  const std::string html = trained.folder / "a.html";
  const Output printed =
      on("attend", trained, {"--trust", "--target", "42", "--json", "--html", html, "123"});
  REQUIRE(printed.status == 0);
  const auto trust = nlohmann::json::parse(printed.out)["trust"];
  REQUIRE(trust["tokens"].size() == 2);
  for (const char* key : {"weights", "gradient", "input_gradient", "erasure"})
    CHECK(trust["tokens"][1][key].size() == 3);
  CHECK_THAT(read_file(html), ContainsSubstring("May the weights be believed?"));
  CHECK(on("attend", trained, {"--trust", "--head", "all", "123"}).status == 2);
  CHECK(on("attend", trained, {"--trust", "--list", "123"}).status == 2);
}

TEST_CASE("bias lists what the tokens of answers hang on", "[cli][trust]") {
  const TrainedRun trained;
  const Output said = on("bias", trained, {"--texts", "5", "--json"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto report = nlohmann::json::parse(said.out)[0];
  CHECK(report["texts"] == 5);
  double occurrence = 0, effect = 0;
  int64_t count = 0;
  for (const auto& word : report["answer_words"]) {
    occurrence += word["occurrence"].get<double>();
    effect += word["effect"].get<double>();
    count += word["count"].get<int64_t>();
    CHECK(word["agree"].get<int64_t>() <= word["count"].get<int64_t>());
  }
  CHECK(count > 5);
  CHECK(occurrence == Approx(1));
  CHECK(effect == Approx(1));
}

TEST_CASE("attend says what it cannot draw", "[cli]") {
  const TrainedRun trained;
  const auto error = [&](const std::vector<std::string>& words) {
    const Output output = on("attend", trained, words);
    CHECK(output.status != 0);
    return output.err;
  };
  CHECK_THAT(error({"--target", "4", "--layer", "x", "1"}),
             ContainsSubstring("no attention layer of this name: x; there are: decoder.attention"));
  CHECK_THAT(error({"--target", "4", "--head", "1", "1"}),
             ContainsSubstring("no head of this number: 1; the layer has heads 0 … 0"));
  CHECK_THAT(error({"--head", "x", "1"}),
             ContainsSubstring("--head must be a number, mean or all"));
  for (const char* blank : {"", "  ", "\u3000"})
    CHECK_THAT(error({blank}), ContainsSubstring("the text is blank, so there is nothing to read"));
  CHECK_THAT(error({"--svg", trained.folder / "a", "--html", trained.folder / "a", "1"}),
             ContainsSubstring("two options name one file: " + (trained.folder / "a")));
  CHECK_THAT(on("attend", trained, {"--target", "4?5", "1"}).err,
             ContainsSubstring("--target: not in the vocabulary, read as <unk>: ?"));
  CHECK_THAT(error({"--target", "", "1"}),
             ContainsSubstring("--target must be an answer, got an empty text"));
  CHECK_THAT(error({"--svg", trained.folder / "none/a.svg", "1"}), ContainsSubstring("none/a.svg"));
}

TEST_CASE("many heads are drawn in rows that fit a page, each under its own name", "[cli]") {
  const Scratch folder;
  const std::string run = folder / "run", svg = folder / "a.svg";
  write_file_atomically(folder / "data.tsv", lines(200));
  REQUIRE(program({"train", "--data", folder / "data.tsv", "--run", run, "--embedding", "3",
                   "--hidden", "8", "--heads", "8", "--steps", "1"})
              .status == 0);
  REQUIRE(program({"attend", "--run", run, "--head", "all", "--svg", svg, "--target", "42",
                   "12345678901234567890"})
              .status == 0);
  const std::string picture = read_file(svg);
  const size_t width = picture.find("width=\"") + 7;
  CHECK(std::stoi(picture.substr(width)) <= 1200);
  for (int head = 0; head < 8; ++head)
    CHECK_THAT(picture,
               ContainsSubstring(">decoder.attention, head " + std::to_string(head) + "<"));
}

TEST_CASE("eval scores a run's own data or a file", "[cli]") {
  const TrainedRun trained;
  const Output own = on("eval", trained, {});
  CHECK(own.status == 0);
  CHECK_THAT(own.out, ContainsSubstring("exact match"));
  write_file_atomically(trained.folder / "more.tsv", "1\t2\n3\t4\n");
  const Output file = on("eval", trained, {"--data", trained.folder / "more.tsv", "--json"});
  INFO(file.err);
  REQUIRE(file.status == 0);
  const auto data = nlohmann::json::parse(file.out);
  CHECK(data["sources"] == 2);
  CHECK(data["loss"] > 0);
  const std::string picture = trained.folder / "lengths.svg";
  const Output lengths =
      on("eval", trained, {"--by-length", "--against", trained.run, "--svg", picture});
  INFO(lengths.err);
  CHECK_THAT(lengths.out, ContainsSubstring("    tokens  sources      BLEU  symbols"));
  CHECK(read_file(picture).starts_with("<svg xmlns="));
  const auto rows = nlohmann::json::parse(
      on("eval", trained, {"--by-length", "--against", trained.run, "--json"}).out)["by_length"];
  REQUIRE(rows.size() % 2 == 0);
  int64_t sources = 0;
  for (size_t i = 0; i < rows.size() / 2; ++i) {
    sources += rows[i]["sources"].get<int64_t>();
    CHECK(rows[i]["bleu"] == rows[i + rows.size() / 2]["bleu"]);
  }
  CHECK(sources == nlohmann::json::parse(on("eval", trained, {"--json"}).out)["sources"]);
  for (const std::vector<std::string>& alone :
       {std::vector<std::string>{"--svg", picture}, {"--against", trained.run}}) {
    const Output refused = on("eval", trained, alone);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, ContainsSubstring(alone[0] + " needs --by-length"));
  }
  CHECK(on("eval", trained, {"--data", "x", "--split", "valid"}).status == 2);
}

TEST_CASE("audit passes a run of Glass", "[cli]") {
  const TrainedRun trained;
  const Output output = on("audit", trained, {});
  INFO(output.err);
  CHECK(output.status == 0);
  CHECK_THAT(output.out, ContainsSubstring("poisonings, 0 leaks"));
}
