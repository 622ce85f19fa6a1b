#include "models/cli/gradcheck_command.h"

#include <sstream>

#include "autograd/autograd.h"
#include "tests/catch.h"

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
