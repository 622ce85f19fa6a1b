#include "models/diagnosis/rule.h"
#include "models/json.h"
#include "tests/models/cli/run.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("diagnose lists every rule, and reproduces one", "[cli][diagnosis]") {
  const tests::Output list = tests::program({"diagnose", "--list"});
  CHECK(list.status == 0);
  for (const Rule& rule : rules())
    CHECK_THAT(list.out, ContainsSubstring("\n" + rule.name + "\n") ||
                             Catch::Matchers::StartsWith(rule.name + "\n"));
  const tests::Output shown = tests::program({"diagnose", "--reproduce", "loss-not-finite"});
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, ContainsSubstring("op log, called at ") &&
                            ContainsSubstring("deep_network.cpp:") &&
                            ContainsSubstring("log of 0: ") && ContainsSubstring("cured: "));
  CHECK(tests::program({"diagnose", "--reproduce", "nonsense"}).status == 2);
  CHECK(tests::program({"diagnose"}).status == 2);
  CHECK(tests::program({"diagnose", "--list", "--run", "x"}).status == 2);
}

TEST_CASE("a training leaves its diagnosis, and a damaged one is named", "[cli][diagnosis]") {
  const tests::TrainedRun trained;
  const std::string path = trained.run + "/diagnosis.json";
  const Json json = parse_json(path, read_file(path));
  CHECK(json["readings"].size() == rules().size());
  CHECK(json["alarms"].empty());
  CHECK_THAT(read_file(trained.run + "/report.html"), ContainsSubstring("<h2>Diagnosis</h2>"));
  const tests::Output shown = tests::program({"diagnose", "--run", trained.run});
  CHECK(shown.out == "no alarm\n");
  write_file_atomically(path, "{\"alarms\": [{\"rule\": 3}]}");
  const tests::Output damaged = tests::program({"diagnose", "--run", trained.run});
  CHECK(damaged.status == 1);
  CHECK_THAT(damaged.err, ContainsSubstring("diagnosis.json") && ContainsSubstring("rule"));
}

TEST_CASE("a folder that is no run is not called healthy", "[cli][diagnosis]") {
  const tests::Scratch folder;
  const tests::Output nowhere = tests::program({"diagnose", "--run", folder / "nowhere"});
  CHECK(nowhere.status == 1);
  CHECK(nowhere.out.empty());
  CHECK_THAT(nowhere.err, ContainsSubstring("does not exist") && ContainsSubstring("nowhere"));
  const tests::Output empty = tests::program({"diagnose", "--run", folder / ""});
  CHECK(empty.status == 1);
  CHECK(empty.out.empty());
}
