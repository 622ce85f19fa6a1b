#include <filesystem>

#include "tensor/safetensors.h"
#include "tests/catch.h"
#include "tests/models/cli/program.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

// A recorded call in a folder of its own.
struct RecordedCall {
  tests::Scratch folder;
  std::string path = folder / "call.safetensors";
  NamedTensors content =
      load_safetensors(std::string(GLASS_SOURCE_DIR) + "/tests/reference/sigmoid__00.safetensors");
  RecordedCall() { save_safetensors(path, content); }
  tests::Output with(const std::string& key, const std::string& value) {
    NamedTensors changed = content;
    changed.metadata[key] = value;
    save_safetensors(path, changed);
    return tests::program({"verify", path});
  }
};

}  // namespace

TEST_CASE("verify counts a file once, however often it is given", "[verify][cli]") {
  const RecordedCall call;
  std::filesystem::create_symlink(call.path, call.folder / "link.safetensors");
  const tests::Output run =
      tests::program({"verify", call.path, call.folder.path(), call.folder / "./call.safetensors"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, ContainsSubstring("verify: 1 passed, 0 failed, 0 not covered"));
}

TEST_CASE("verify names the file, the entry and what it must be", "[verify][cli]") {
  RecordedCall call;
  const auto says = [&](const char* key, const char* value, const std::string& wanted) {
    const tests::Output run = call.with(key, value);
    CHECK(run.status == 1);
    CHECK_THAT(run.out, ContainsSubstring(call.path + wanted));
    CHECK_THAT(run.out, !ContainsSubstring("0.0e+00") && !ContainsSubstring("json.exception"));
  };
  says("kwargs", "[1]", ": kwargs must be an object, {} for no arguments: got [1]\n");
  says("kwargs", "{\"a\": ", ", kwargs: is not JSON: line 1, column ");
  says("kwargs", "{\"a\": 1, \"a\": 2}", ", kwargs: a key occurs twice in an object: \"a\"\n");
  says("call", "3", ": call must be an object");
  says("rtol", "tight", ", rtol: is not JSON: line 1, column ");
  says("rtol", "-1", ": rtol must be a number of at least 0: got -1\n");
  says("atol", "\"0\"", ": atol must be a number of at least 0: got \"0\"\n");
  says("atol", "1e999", ", atol: holds a number beyond all bounds\n");
  says("tags", "\"extra\"", ": tags must be a list of texts: got \"extra\"\n");
  says("tags", "[1]", ": tags must be a list of texts: got [1]\n");
  says("mode", "evil", ": mode must be train or eval: got \"evil\"\n");
  says("gradgrad", "1", ": gradgrad must be true or false: got 1\n");
  for (const char* strides :
       {"3", "{\"input\": 3}", "{\"input\": [-1]}", "{\"none\": [1]}", "{\"input\": [1e3]}",
        "{\"input\": [1, 1, 1, 1, 1, 1, 1, 1, 1]}", "{\"input\": [99999999999]}"})
    says("strides", strides, ": strides must be an object of lists of whole numbers, one for each");
  call.content.metadata.erase("kwargs");
  CHECK_THAT(call.with("op", "sigmoid").out,
             ContainsSubstring("no metadata of this name: " + call.path + ": kwargs\n"));
}

TEST_CASE("verify suggests the name that was meant", "[verify][cli]") {
  RecordedCall call;
  CHECK_THAT(call.with("op", "Sigmiod").out, ContainsSubstring("did you mean sigmoid?"));
  CHECK_THAT(call.with("op", "nn.Lstm").out, ContainsSubstring("did you mean LSTM or"));
  CHECK_THAT(call.with("op", "optim.Adan").out, ContainsSubstring("did you mean optim.Adam"));
  CHECK_THAT(call.with("op", "lr_scheduler.StepLr").out,
             ContainsSubstring("did you mean lr_scheduler.StepLR"));
}
