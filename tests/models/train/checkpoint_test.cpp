#include <nlohmann/json.hpp>

#include "tensor/safetensors.h"
#include "tests/models/cli/run.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a checkpoint's description is refused with file, entry, value and what is right",
          "[checkpoint]") {
  const tests::TrainedRun trained;
  const std::string path = trained.run + "/checkpoint.safetensors";
  const NamedTensors whole = load_safetensors(path);
  const std::string& description = whole.metadata.at("training");
  const auto error = [&](const NamedTensors& content) {
    save_safetensors(path, content);
    const tests::Output run = trained.resume();
    CHECK(run.status == 1);
    CHECK(run.err.size() < 250);
    CHECK_THAT(run.err, ContainsSubstring("glass: " + path));
    CHECK_THAT(run.err, !ContainsSubstring("json.exception"));
    return run.err.substr(std::min(run.err.size(), ("glass: " + path).size()));
  };
  const auto described = [&](const std::string& text) {
    NamedTensors changed = whole;
    changed.metadata["training"] = text;
    return error(changed);
  };
  const auto with = [&](const char* pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(description);
    json[nlohmann::json::json_pointer(pointer)] = value;
    return described(json.dump());
  };
  CHECK(with("/step", -1) == ", training: step must be a whole number from 0 to 2: got -1\n");
  CHECK(with("/step", 3) == ", training: step must be a whole number from 0 to 2: got 3\n");
  CHECK(with("/step", 1e300) ==
        ", training: step must be a whole number from 0 to 2: got 1e+300\n");
  CHECK(with("/best_step", 3) ==
        ", training: best_step must be a whole number from 0 to 2: got 3\n");
  CHECK_THAT(with("/seconds", -1), ContainsSubstring("seconds must be a number from 0 to"));
  CHECK_THAT(with("/loss_sum", nullptr), ContainsSubstring("loss_sum must be a number from 0"));
  CHECK_THAT(with("/loss_tokens", -1), ContainsSubstring("loss_tokens must be a whole number"));
  CHECK(with("/history", 5) == ", training, history: must be a list: got 5\n");
  CHECK(with("/history/0/step", 3) ==
        ", training, history: step must be a whole number from 0 to 2: got 3\n");
  CHECK(with("/history/0", 3) == ", training, history: must be an object: got 3\n");
  CHECK_THAT(with("/history/0/lr", -1), ContainsSubstring("lr must be a number from 0 to 1000"));
  CHECK_THAT(with("/history/0/valid/loss", "x"),
             ContainsSubstring("training, history, valid: loss must be a number from 0"));
  CHECK_THAT(with("/best/bleu", false), ContainsSubstring("training, best: bleu must be a number"));
  for (const nlohmann::json& random : {nlohmann::json(3), {1}, {1, -2}, {1, "x"}, {1, 2, 3}})
    CHECK_THAT(with("/random", random),
               ContainsSubstring("training: random must be two whole numbers: got "));
  CHECK(described("{\"step\": ") == ", training: is not JSON: line 1, column 10\n");
  CHECK(described("{\"step\": 1, \"step\": 2}") ==
        ", training: a key occurs twice in an object: \"step\"\n");
  CHECK(described("{}") == ", training: an entry is missing: step\n");

  for (const char* prefix : {"best.", "model.", "optimizer."}) {
    NamedTensors changed = whole;
    std::erase_if(changed.tensors, [&](const auto& t) { return t.first.starts_with(prefix); });
    CHECK_THAT(error(changed),
               ContainsSubstring(prefix[0] == 'b' ? "must both be there"
                                                  : "does not fit the config.json"));
  }
  save_safetensors(path, whole);
  CHECK(trained.resume().status == 0);
}
