#include "models/seq2seq/by_length.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("length_groups: as many each as whole lengths allow", "[by-length]") {
  // 4 of length 1, 2 of 2, 1 of 3, 1 of 9
  const std::vector<LengthGroup> groups = length_groups({1, 2, 1, 9, 1, 3, 2, 1}, 4);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].rows == std::vector<size_t>{0, 2, 4, 7});
  CHECK(groups[1].rows == std::vector<size_t>{1, 6});
  CHECK((groups[2].shortest == 3 && groups[2].longest == 9));
  CHECK(groups[2].mean == 6);
  const std::vector<LengthGroup> rest = length_groups({1, 1, 1, 2, 2, 2, 2, 2, 7}, 3);
  REQUIRE(rest.size() == 2);
  CHECK(rest[1].rows == std::vector<size_t>{3, 4, 5, 6, 7, 8});
  CHECK(rest[1].longest == 7);
  CHECK(length_groups(std::vector<int64_t>{}, 3).empty());
  CHECK(length_groups({5, 4, 3}, 1).size() == 1);
  CHECK(length_groups({5, 4, 3}, 10).size() == 3);
  CHECK_THROWS_AS(length_groups({1}, 0), Error);
}

TEST_CASE("scores_by_length: each group has its own score", "[by-length]") {
  const std::vector<References> data{{"ab", {"xyxyx"}}, {"abcd", {"yyxyx"}}, {"ba", {"xxyyx"}}};
  const TextCodec codec({}, {{"abcd", "xyxyx"}});
  std::vector<Translation> answers(3);
  answers[0].tokens = {"x", "y", "x", "y", "x"};
  answers[1].tokens = {"x", "x", "x", "x"};
  answers[2].tokens = {"x", "x", "y", "y", "x"};
  const ScoresByLength found = scores_by_length(codec, data, answers, length_groups(codec, data));
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].rows == std::vector<size_t>{0, 2});
  CHECK(found.scores[0].exact_match == 1);
  CHECK(found.scores[0].bleu.value == Approx(1));
  CHECK(found.scores[1].exact_match == 0);
  CHECK(found.scores[1].symbol_error_rate == Approx(3.0 / 5));
  const LinePlot plot = length_plot({"one"}, {found});
  REQUIRE(plot.curves.size() == 1);
  CHECK(plot.curves[0].x == std::vector<double>{2, 4});
  CHECK(plot.curves[0].y == std::vector<double>{found.scores[0].bleu.value, 0});
  answers.pop_back();
  CHECK_THROWS_AS(scores_by_length(codec, data, answers, length_groups(codec, data)), Error);
}
