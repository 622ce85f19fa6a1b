#include "models/zoo/zoo.h"

#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/models/cli/program.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the zoo has many kinds of bugs, each with its story", "[zoo]") {
  CHECK(zoo_kinds().size() >= 12);
  std::set<CauseKind> kinds;
  for (const ZooKind& k : zoo_kinds()) {
    CHECK(kinds.insert(k.kind).second);
    CHECK(k.what.size() > 10);
    CHECK(k.arises.size() > 40);
    CHECK(k.shows.size() > 40);
    CHECK(&zoo_kind(std::string(name_of(k.kind))) == &k);
  }
  CHECK(&zoo_kind("Upstream ignored") == &zoo_kind("upstream-ignored"));
  CHECK_THROWS_WITH(zoo_kind("sgn"), ContainsSubstring("kinds: ") && ContainsSubstring("sign"));
  CHECK_THROWS_WITH(zoo_place("here"), ContainsSubstring("places: project, "));
}

TEST_CASE("each bug of the zoo is found where it is, and nowhere else", "[zoo]") {
  std::set<CauseKind> met;
  int found = 0;
  constexpr int kSeeds = 30;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Zoo zoo(seed);
    INFO("seed " << seed << ": " << zoo.place() << ", " << zoo.bug().label);
    met.insert(zoo.bug().cause);
    const GradReport whole = zoo.check_network(true);
    CHECK(whole.verdict == Verdict::fail);
    found += whole.first.where && whole.first.where->op == zoo.place();
    CHECK(zoo.is_of(zoo.bug().cause));
    for (size_t p = 0; p < zoo_places().size(); ++p) {
      const bool here = zoo.is_at(zoo_places()[p].name);
      CHECK(zoo.check_place(p, false).ok() != here);
    }
  }
  CHECK(met.size() >= 8);
  CHECK(found * 100 >= kSeeds * 95);
}

TEST_CASE("every kind of the zoo comes up", "[.slow][zoo]") {
  std::set<CauseKind> met;
  for (uint64_t seed = 0; seed < 300; ++seed) met.insert(Zoo(seed).bug().cause);
  CHECK(met.size() == zoo_kinds().size());
}

TEST_CASE("glass zoo asks, checks, marks and reveals", "[zoo][cli]") {
  const Zoo zoo(7);
  const std::string place = zoo.place(), kind(name_of(zoo.bug().cause));
  const Output asked = program({"zoo", "--seed", "7"});
  CHECK(asked.status == 0);
  for (const ZooPlace& p : zoo_places()) CHECK_THAT(asked.out, ContainsSubstring("  " + p.name));
  CHECK_THAT(asked.out, ContainsSubstring("glass zoo --seed 7 --answer PLACE KIND"));
  CHECK(asked.out == program({"zoo", "--seed", "7"}).out);

  const Output numbers = program({"zoo", "--seed", "7", "--check", place});
  CHECK(numbers.status == 0);
  CHECK_THAT(numbers.out, ContainsSubstring("gradcheck FAILED"));
  CHECK(numbers.out.find("cause") == std::string::npos);
  const Output opinion = program({"zoo", "--seed", "7", "--diagnose", "all"});
  CHECK_THAT(opinion.out, ContainsSubstring("backward of " + place));

  CHECK(program({"zoo", "--seed", "7", "--answer", place, kind}).status == 0);
  const std::string other_place = zoo.is_at("bias") ? "mix" : "bias";
  const Output wrong = program({"zoo", "--seed", "7", "--answer", other_place, kind});
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.out, ContainsSubstring("Not there"));
  const std::string other_kind = zoo.is_of(CauseKind::nan) ? "sign" : "nan";
  const Output what = program({"zoo", "--seed", "7", "--answer", place, other_kind});
  CHECK(what.status == 1);
  CHECK_THAT(what.out, ContainsSubstring("it is, but not " + other_kind));
  CHECK_THAT(program({"zoo", "--seed", "7", "--answer", place, "bug"}).err,
             ContainsSubstring("there is no kind of bug of this name"));

  const Output revealed = program({"zoo", "--seed", "7", "--reveal"});
  CHECK(revealed.status == 0);
  CHECK_THAT(revealed.out, ContainsSubstring(place + ", " + kind));
  CHECK_THAT(revealed.out, ContainsSubstring("How it arises") && ContainsSubstring("How it shows"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"mix"}, {"a", "b", "c"}}) {
    std::vector<std::string> all = {"zoo", "--seed", "7", "--answer"};
    all.insert(all.end(), words.begin(), words.end());
    const Output refused = program(all);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, ContainsSubstring("--answer needs PLACE and KIND, two words, got "));
  }
  for (const char* option : {"--mutants", "--models"}) {
    const Output refused = program({"gradcheck", option, "--json", "tanh"});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, ContainsSubstring("--json has no effect with " + std::string(option)));
  }
  CHECK_THAT(program({"gradcheck", "--columns", "5", "tanh"}).err,
             ContainsSubstring("--columns has no effect with --gear 1"));
  CHECK(program({"zoo"}).status == 2);
  CHECK(program({"zoo", "--seed", "7", "--reveal", "--check", "all"}).status == 2);
}
