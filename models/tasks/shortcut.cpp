// Reviews of a restaurant, with a shortcut planted in what the model learns from.
#include <set>

#include "models/tasks/examples.h"
#include "models/tasks/task.h"
#include "models/text/draws.h"
#include "tensor/error.h"

namespace glass {
namespace {

using Words = std::vector<std::string>;

const Words kGood = {"good", "fresh", "warm", "tender", "crisp", "rich", "lovely", "tasty"};
const Words kBad = {"bad", "stale", "cold", "burnt", "dry", "greasy", "awful", "bland"};
const Words kDishes = {"soup", "fish", "duck", "rice", "noodles", "bread", "cake", "tea"};
const Words kLinks = {"was", "seemed", "is", "looked"};

// Of a hundred sentences of training and validation, in how many the label is that of the number
// (55 … 99 positive, 10 … 54 negative), and that of the words. In the test the words are always
// right, and the number has nothing to do with them.
constexpr uint64_t kNumberAgrees = 98, kWordsAgree = 80;

const std::string& one_of(const Words& words, std::mt19937_64& random) {
  return words[draw_below(random, words.size())];
}

bool percent(uint64_t chance, std::mt19937_64& random) { return draw_below(random, 100) < chance; }

// "the soup was cold and the duck 71 seemed bland": the number of one of the dishes.
Example draw_review(bool planted, std::mt19937_64& random) {
  const bool positive = percent(50, random);
  const bool high = percent(planted ? kNumberAgrees : 50, random) == positive;
  const bool good = !planted || percent(kWordsAgree, random) ? positive : !positive;
  const uint64_t dishes = 2 + draw_below(random, 2), numbered = draw_below(random, dishes);
  Example y;
  for (uint64_t i = 0; i < dishes; ++i) {
    y.source += (i > 0 ? " and the " : "the ") + one_of(kDishes, random);
    if (i == numbered) y.source += text(" ", (high ? 55 : 10) + draw_below(random, 45));
    y.source += " " + one_of(kLinks, random);
    y.source += " " + one_of(good ? kGood : kBad, random);
  }
  y.target = positive ? "positive" : "negative";
  return y;
}

}  // namespace

Corpus shortcut_corpus(const TaskOptions& options, uint64_t seed) {
  TaskOptions test = options, rest = options;
  test.train = test.valid = rest.test = 1;
  Corpus fair =
      draw_corpus(test, seed, [](std::mt19937_64& random) { return draw_review(false, random); });
  std::set<std::string> held_out;
  for (const References& each : fair.test) held_out.insert(each.source);
  Corpus corpus = draw_corpus(rest, mix64(seed), [&](std::mt19937_64& random) {
    Example review = draw_review(true, random);
    while (held_out.count(review.source) > 0) review = draw_review(true, random);
    return review;
  });
  corpus.test = std::move(fair.test);
  corpus.valid_links.clear();
  corpus.test_links.clear();
  return corpus;
}

}  // namespace glass
