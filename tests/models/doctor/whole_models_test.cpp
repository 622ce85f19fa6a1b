#include "models/doctor/whole_models.h"

#include <algorithm>
#include <sstream>

#include "models/cli/gradcheck_command.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string check_models(const std::vector<std::string>& names) {
  std::ostringstream out;
  const int status = run_model_checks(names, out);
  INFO(out.str());
  CHECK(status == 0);
  return out.str();
}

}  // namespace

TEST_CASE("whole models are checked, a line per parameter", "[gradcheck][models]") {
  const std::string text = check_models({"mocha", "additive, before", "norm first", "sentinel"});
  CHECK_THAT(text, ContainsSubstring("models: 4 passed, 0 failed\n"));
  for (const char* parameter : {"encoder.embedding.weight", "decoder.attention.scorer.", "output."})
    CHECK_THAT(text, ContainsSubstring(parameter));
  CHECK(std::count(text.begin(), text.end(), '\n') > 40);
  CHECK_THROWS_WITH(check_models({"mochaa"}), ContainsSubstring("there is no model of this name"));
}

TEST_CASE("every attention has a whole model", "[gradcheck][models]") {
  const std::vector<WholeModel> all = whole_models();
  for (const char* part : {"additive", "dot", "general", "concat", "cosine", "location", "local-m",
                           "local-p", "monotonic", "mocha", "transformer", "captioner"}) {
    INFO(part);
    CHECK(std::any_of(all.begin(), all.end(),
                      [&](const WholeModel& m) { return m.name.find(part) != std::string::npos; }));
  }
}

TEST_CASE("all whole models pass", "[.slow][gradcheck][models]") { check_models({}); }
