// A run that goes on for longer than it was begun for.
#include <nlohmann/json.hpp>

#include "tensor/safetensors.h"
#include "tests/models/cli/run.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

TEST_CASE("a finished run is lengthened to the bits of a longer one, where its schedule allows",
          "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  const Words constant = {"--schedule", "constant", "--valid-every", "2"};
  const std::string run = folder / "run", whole = folder / "whole", cosine = folder / "cosine";
  REQUIRE(tests::train(folder / "data.tsv", whole, constant, "6").status == 0);
  REQUIRE(tests::train(folder / "data.tsv", run, constant, "4").status == 0);
  REQUIRE(tests::train(folder / "data.tsv", cosine, {}, "2").status == 0);
  const auto resumed = [](const std::string& path, Words more) {
    more.insert(more.begin(), {"train", "--run", path, "--resume"});
    return tests::program(more);
  };
  tests::Output output = resumed(run, {});
  CHECK(output.status == 0);
  CHECK_THAT(output.out, ContainsSubstring("all 4 steps are done") &&
                             ContainsSubstring("glass train --run " + run + " --resume --steps N"));
  output = resumed(run, {"--steps", "6"});
  INFO(output.err);
  REQUIRE(output.status == 0);
  CHECK_THAT(output.out, ContainsSubstring("continuing at step 4") &&
                             ContainsSubstring("stopped at step 6 (all steps done)"));
  CHECK(read_file(run + "/model.safetensors") == read_file(whole + "/model.safetensors"));
  const NamedTensors a = load_safetensors(run + "/checkpoint.safetensors");
  for (const auto& [name, tensor] : load_safetensors(whole + "/checkpoint.safetensors").tensors)
    CHECK(a.at(name).to(kFloat64).to_vector<double>() == tensor.to(kFloat64).to_vector<double>());
  CHECK(nlohmann::json::parse(read_file(run + "/config.json"))["training"]["steps"] == 6);

  const std::string before = read_file(run + "/config.json");
  const auto refused = [&](const std::string& path, const Words& more, const std::string& part) {
    output = resumed(path, more);
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring(part));
  };
  refused(run, {"--steps", "5"}, "can only lengthen the run, which has --steps 6, got 5");
  refused(run, {"--lr", "1"}, "--lr cannot be changed, only --steps, --max-minutes and --patience");
  refused(cosine, {"--steps", "4"}, "its cosine schedule ends at step 2; start another --run");
  CHECK(read_file(run + "/config.json") == before);
  CHECK_THAT(resumed(cosine, {}).out, ContainsSubstring("a longer training is a new run"));
}

TEST_CASE("a run whose time was up goes on when it is given more", "[cli]") {
  const tests::Scratch folder;
  write_file_atomically(folder / "data.tsv", tests::lines(200));
  const tests::Output first =
      tests::train(folder / "data.tsv", folder / "run", {"--max-minutes", "1e-9"}, "3");
  REQUIRE(first.status == 0);
  CHECK_THAT(first.out, ContainsSubstring("stopped at step 1 (time is up)"));
  const Words resume = {"train", "--run", folder / "run", "--resume"};
  CHECK_THAT(tests::program(resume).out, ContainsSubstring("stopped at step 1 (time is up)"));
  Words longer = resume;
  longer.insert(longer.end(), {"--max-minutes", "0"});
  CHECK_THAT(tests::program(longer).out, ContainsSubstring("stopped at step 3 (all steps done)"));
}
