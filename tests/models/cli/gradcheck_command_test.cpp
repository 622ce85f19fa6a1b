#include "models/cli/gradcheck_command.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "autograd/autograd.h"
#include "models/registry.h"
#include "tests/catch.h"
#include "tests/models/cli/program.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

Sample sample(std::string label, Function f, Verdict expect = Verdict::pass) {
  return {.label = std::move(label),
          .inputs = {{.shape = {2, 3}}},
          .f = std::move(f),
          .expect = expect};
}

Vars right(const Vars& x) { return {tanh(x[0])}; }
Vars wrong(const Vars& x) { return {x[0].detach() * x[0]}; }
Vars constant(const Vars& x) { return {sum(softmax(x[0], 1), {1})}; }

std::vector<Entry> entries() {
  return {{.name = "tanh", .samples = {sample("plain", right)}},
          {.name = "softmax_sum",
           .kind = EntryKind::fused,
           .samples = {sample("vacuous", constant, Verdict::vacuous)}},
          {.name = "half_square",
           .kind = EntryKind::layer,
           .samples = {sample("plain", right), sample("second row", wrong)}},
          {.name = "greater",
           .samples = {sample("plain", [](const Vars& x) { return Vars{x[0] > 0.0}; })},
           .differentiable = false}};
}

struct Result {
  int status;
  std::string text;
};
Result run(const std::vector<Entry>& all, const std::vector<std::string>& names) {
  std::ostringstream out;
  const int status = run_gradcheck(all, names, out);
  return {status, out.str()};
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

}  // namespace

TEST_CASE("gradcheck prints a line per entry and counts", "[gradcheck][cli]") {
  const Result all = run(entries(), {});
  CHECK(all.status == 1);
  CHECK(last_line(all.text) == "gradcheck: 3 passed, 1 failed");
  for (const char* name : {"\ntanh ", "\nsoftmax_sum ", "\nhalf_square ", "\ngreater "})
    CHECK_THAT(all.text, ContainsSubstring(name));
  CHECK_THAT(all.text, ContainsSubstring("half_square, second row"));
  CHECK_THAT(all.text, ContainsSubstring("input 0 [2, 3]"));
}

TEST_CASE("gradcheck checks only what is named", "[gradcheck][cli]") {
  const Result one = run(entries(), {"tanh"});
  CHECK(one.status == 0);
  CHECK(last_line(one.text) == "gradcheck: 1 passed, 0 failed");
  CHECK(one.text.find("greater") == std::string::npos);
  const Result two = run(entries(), {"half_square", "tanh"});
  CHECK(two.status == 1);
  CHECK(last_line(two.text) == "gradcheck: 1 passed, 1 failed");
}

TEST_CASE("gradcheck suggests near names", "[gradcheck][cli]") {
  CHECK_THROWS_WITH(run(entries(), {"tanj"}), ContainsSubstring("did you mean tanh?"));
  CHECK_THROWS_WITH(run(entries(), {"softmax"}), ContainsSubstring("softmax_sum"));
  CHECK_THROWS_WITH(run(entries(), {"tanh", "zzzzzz"}), ContainsSubstring("zzzzzz"));
}

TEST_CASE("gradcheck prints nothing but the error for a name that is none", "[gradcheck][cli]") {
  std::ostringstream out;
  CHECK_THROWS_WITH(run_gradcheck(entries(), {"zzzzzz"}, out),
                    ContainsSubstring("zzzzzz; `glass gradcheck --list` names all"));
  CHECK_THROWS_WITH(run_mutants(entries(), {"zzzzzz"}, out), ContainsSubstring("--list"));
  CHECK_THROWS_WITH(run_model_checks({"zzzzzz"}, out),
                    ContainsSubstring("zzzzzz; there are ") && ContainsSubstring("two heads"));
  CHECK(out.str().empty());
}

TEST_CASE("gradcheck --list names what there is, and checks nothing", "[gradcheck][cli]") {
  const tests::Output all = tests::program({"gradcheck", "--list"});
  CHECK(all.status == 0);
  CHECK(std::count(all.out.begin(), all.out.end(), '\n') == std::ssize(all_entries()));
  CHECK_THAT("\n" + all.out, ContainsSubstring("\nLinear\n") && ContainsSubstring("\ntanh\n"));
  CHECK(tests::program({"gradcheck", "--list", "tanh"}).out == "tanh\n");
  const tests::Output models = tests::program({"gradcheck", "--models", "--list", "two heads"});
  CHECK(models.status == 0);
  CHECK_THAT(models.out, ContainsSubstring("two heads\n"));
  CHECK(models.out.find("verdict") == std::string::npos);
  CHECK(tests::program({"gradcheck", "--list", "zzzzzz"}).status == 1);
  CHECK_THAT(tests::program({"gradcheck", "--list", "--gear", "2"}).err,
             ContainsSubstring("--gear has no effect with --list"));
  CHECK(tests::program({"gradcheck", "--list", "--mutants"}).status == 2);
}

TEST_CASE("an unexpected pass, a throw and an empty entry fail", "[gradcheck][cli]") {
  const auto throws = [](const Vars&) -> Vars { fail("inside", "does not work"); };
  const std::vector<Entry> bad{
      {.name = "smooth", .samples = {sample("no kink", right, Verdict::kink)}},
      {.name = "throws", .samples = {sample("plain", throws)}},
      {.name = "empty"},
      {.name = "claims", .samples = {sample("plain", right)}, .differentiable = false}};
  const Result result = run(bad, {});
  CHECK(result.status == 1);
  CHECK(last_line(result.text) == "gradcheck: 0 passed, 4 failed");
  CHECK_THAT(result.text, ContainsSubstring("expected KINK"));
  CHECK_THAT(result.text, ContainsSubstring("inside: does not work"));
}

TEST_CASE("mutants of right functions are killed and named", "[gradcheck][cli][mutants]") {
  const auto dense = [](const Vars& x) { return Vars{matmul(x[0], x[1]) + x[2]}; };
  const std::vector<Entry> all{
      {.name = "tanh", .samples = {sample("plain", right)}},
      {.name = "dense",
       .samples = {{"plain", {{.shape = {4, 3}}, {.shape = {3, 2}}, {.shape = {2}}}, dense}}},
      {.name = "flat",
       .samples = {sample(
           "vacuous", [](const Vars& x) { return Vars{sum(softmax(x[0], 1), {1})}; },
           Verdict::vacuous)}},
      {.name = "greater", .samples = {sample("plain", right)}, .differentiable = false}};
  std::ostringstream out;
  CHECK(run_mutants(all, {}, out) == 0);
  const std::string text = out.str();
  INFO(text);
  int planted = 0, killed = 0, named = 0;
  REQUIRE(std::sscanf(last_line(text).c_str(), "mutants: %d planted, %d killed, %d named correctly",
                      &planted, &killed, &named) == 3);
  CHECK(planted >= 40);
  CHECK(killed == planted);
  CHECK(named == planted);
  CHECK_THAT(text, ContainsSubstring("\ntanh ") && ContainsSubstring("\ndense "));
  CHECK(text.find("greater") == std::string::npos);
  CHECK(text.find("survived") == std::string::npos);
  std::ostringstream one;
  CHECK(run_mutants(all, {"tanh"}, one) == 0);
  CHECK(one.str().find("dense") == std::string::npos);
  CHECK_THROWS_WITH(run_mutants(all, {"tanj"}, one), ContainsSubstring("did you mean tanh?"));
}

TEST_CASE("a mutant that the check cannot see survives, and that is a failure",
          "[gradcheck][cli][mutants]") {
  // Far from what the sample draws, only there the function has a slope.
  int calls = 0;
  const auto hidden = [&calls](const Vars& x) {
    ++calls;
    return Vars{x[0] * 1e-30 + Var(Tensor::ones({2, 3}, kFloat64))};
  };
  std::ostringstream out;
  CHECK(run_mutants({{.name = "flat", .samples = {sample("plain", hidden)}}}, {}, out) == 1);
  CHECK(calls > 0);
  CHECK_THAT(out.str(), ContainsSubstring("survived: flat, plain, sign, input 0"));
}

static void mutants_are_found(const std::vector<std::string>& names) {
  std::ostringstream out;
  const int status = run_mutants(all_entries(), names, out);
  INFO(out.str());
  CHECK(status == 0);
  CHECK(out.str().find("survived") == std::string::npos);
}

TEST_CASE("mutants of some ops and layers are killed and named", "[gradcheck][mutants]") {
  mutants_are_found({"add", "matmul", "softmax", "where", "sum", "cat", "embedding", "layer_norm",
                     "cross_entropy", "relu", "Linear", "GRUCell", "additive_attention"});
}

TEST_CASE("mutants of everything registered are killed and named", "[.slow][gradcheck][mutants]") {
  mutants_are_found({});
}
