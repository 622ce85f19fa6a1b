#include "models/metrics/alignment.h"

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("alignments are read from source-target pairs", "[metrics]") {
  const GoldLinks gold = gold_links(" 0-0  12-3 1?2 2p2\t");
  CHECK(gold.sure == Links{{0, 0}, {12, 3}});
  CHECK(gold.possible == Links{{0, 0}, {1, 2}, {2, 2}, {12, 3}});
  CHECK(gold_links("").possible.empty());
  CHECK(links("1-0 0-1") == Links{{0, 1}, {1, 0}});
  for (const char* bad :
       {"0", "0-", "-1", "a-b", "0-1x", "0--1", "-1-0", "0-1-2", "0_1", "99999999999999999999-0"})
    CHECK_THROWS_WITH(gold_links(bad), ContainsSubstring(std::string("got ") + bad));
  CHECK_THROWS_AS(links("0-0 1?1"), Error);
}

TEST_CASE("alignment error rate worked by hand", "[metrics]") {
  const auto rate = [](const std::string& found, const std::string& gold) {
    return alignment_error_rate({links(found)}, {gold_links(gold)});
  };
  CHECK(rate("0-0 1-1", "0-0 1-1") == 0);
  CHECK(rate("0-0 1-1 2-2", "0-0 1-1 2?3") == Approx(0.2));  // 1 - (2 + 2) / (3 + 2)
  CHECK(rate("0-0 1-1 2-3", "0-0 1-1 2?3") == 0);            // possible links cost nothing
  CHECK(rate("", "0-0") == 1);
  CHECK(rate("0-0", "") == 1);
  CHECK(rate("", "") == 0);
  CHECK(rate("1-0", "0-1") == 1);  // source first
  // Summed over the corpus: 1 - (1 + 1 + 0) / (1 + 1 + 2 + 0).
  CHECK(alignment_error_rate({links("0-0"), links("0-0 1-1")}, {gold_links("0-0"), {}}) == 0.5);
  CHECK_THROWS_AS(alignment_error_rate({}, {}), Error);
  CHECK_THROWS_AS(alignment_error_rate({{}}, {}), Error);
}

TEST_CASE("the strongest weight of each target token is its link", "[metrics]") {
  CHECK(strongest_links({{0.1, 0.9}, {0.5, 0.5}, {0, 0}}) == Links{{1, 0}, {0, 1}});
  CHECK(strongest_links({}).empty());
  CHECK(strongest_links({{}}).empty());
}
