#include "models/doctor/report_json.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "autograd/autograd.h"
#include "autograd/mutants.h"
#include "models/cli/gradcheck_command.h"
#include "tests/catch.h"

using namespace glass;

TEST_CASE("a report as JSON holds what the text says", "[gradcheck][json]") {
  Generator g(1);
  const Vars inputs{Var(uniform({4, 3}, -1, 1, kFloat64, g), true),
                    Var(uniform({3, 3}, -1, 1, kFloat64, g), true)};
  const Function product = [](const Vars& x) { return Vars{matmul(x[0], x[1])}; };
  const Function broken = plant(product, {.cause = CauseKind::transposed, .label = "", .input = 1});
  const GradReport report =
      check([&](const Vars& x) { return Vars{tanh(broken(x)[0])}; }, inputs, {.name = "product"});
  const nlohmann::json j = nlohmann::json::parse(to_json(report).dump());
  CHECK(j.at("name") == "product");
  CHECK(j.at("verdict") == "fail");
  CHECK_FALSE(j.contains("second"));
  const nlohmann::json& first = j.at("first");
  CHECK(first.at("directions") == 5);
  REQUIRE(first.at("blocks").size() == 2);
  const nlohmann::json &wrong = first.at("blocks")[0], &right = first.at("blocks")[1];
  CHECK(wrong.at("verdict") == "fail");
  CHECK(wrong.at("number") == 1);
  CHECK(wrong.at("shape") == nlohmann::json{3, 3});
  CHECK(wrong.at("index").size() == 2);
  CHECK(wrong.at("causes")[0].at("kind") == "transposed");
  CHECK(wrong.at("causes")[0].at("residual").get<double>() < 1e-6);
  CHECK(wrong.at("analytic") == report.first.mismatches[0].analytic);
  CHECK(right.at("verdict") == "pass");
  CHECK(right.at("gradient").get<double>() > 0);
  CHECK_FALSE(right.contains("causes"));
  CHECK(first.at("where").at("op") == "mutant(transposed)");
  CHECK(first.at("where").at("of") == 2);
  CHECK(first.at("sweep").size() > 5);
}

TEST_CASE("what is not a number is null in JSON", "[gradcheck][json]") {
  const GradReport report = check(
      plant([](const Vars& x) { return Vars{tanh(x[0])}; }, {.cause = CauseKind::nan, .label = ""}),
      {Var(Tensor::from<double>({1, 2}), true)});
  const nlohmann::json j = nlohmann::json::parse(to_json(report).dump());
  CHECK(j.at("first").at("blocks")[0].at("analytic").is_null());
  CHECK(j.at("first").at("blocks")[0].at("causes")[0].at("kind") == "nan");
}

TEST_CASE("gradcheck prints JSON on request", "[gradcheck][json][cli]") {
  const std::vector<Entry> all{
      {.name = "tanh",
       .samples = {{"plain", {{.shape = {2}}}, [](const Vars& x) { return Vars{tanh(x[0])}; }}}}};
  std::ostringstream out;
  CHECK(run_gradcheck(all, {}, out, {.json = true}) == 0);
  const nlohmann::json j = nlohmann::json::parse(out.str());
  CHECK(j.at("passed") == 1);
  CHECK(j.at("failed") == 0);
  CHECK(j.at("entries")[0].at("name") == "tanh");
  const nlohmann::json& report = j.at("entries")[0].at("reports")[0];
  CHECK(report.at("expected") == "pass");
  CHECK(report.at("verdict") == "pass");
  CHECK(report.at("second").at("verdict") == "pass");
}
