// Healthy models that are broken on purpose, and cured.
#include <cmath>

#include "models/diagnosis/rule.h"
#include "tests/catch.h"

using namespace glass;

namespace {

void check_demonstration(const Rule& rule, const Demonstration& demonstration) {
  const Course broken = demonstration.run(false), cured = demonstration.run(true);
  const double seen = worst(rule, broken.record).value, left = worst(rule, cured.record).value;
  INFO(rule.name << ", " << demonstration.broken << ": " << seen << ", loss " << broken.loss << "; "
                 << demonstration.cured << ": " << left << ", loss " << cured.loss);
  CHECK(seen > rule.limit);
  CHECK(seen >= 0.98 * rule.broken);  // what the document says
  CHECK(findings(cured.record).empty());
  CHECK(cured.stopped.empty());
  CHECK(std::isfinite(cured.loss));
  if (std::isfinite(broken.loss)) CHECK(cured.loss < broken.loss + 0.05);
}

}  // namespace

TEST_CASE("diagnosis: a trouble gives its alarm, and its cure none", "[diagnosis]") {
  for (const char* name : {"gradient-exploding", "memory"}) {
    const Rule& rule = find_rule(name);
    check_demonstration(rule, rule.demonstrations().at(0));
  }
}

TEST_CASE("diagnosis: so does every other", "[.slow][diagnosis]") {
  for (const Rule& rule : rules())
    for (const Demonstration& demonstration : rule.demonstrations())
      check_demonstration(rule, demonstration);
}
