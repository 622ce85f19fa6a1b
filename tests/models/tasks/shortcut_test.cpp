#include <set>

#include "models/tasks/task.h"
#include "models/text/numbers.h"
#include "tests/catch.h"

using namespace glass;

namespace {

// In which part of the sentences the number's kind is the label's, and the mood of the last word
// that has one.
struct Agreement {
  double number = 0, words = 0;
};

template <class Texts, class Label>
Agreement agreement(const Texts& texts, Label label) {
  const std::set<std::string> good{"good",  "fresh", "warm",   "tender",
                                   "crisp", "rich",  "lovely", "tasty"};
  const std::set<std::string> bad{"bad", "stale",  "cold",  "burnt",
                                  "dry", "greasy", "awful", "bland"};
  Agreement y;
  for (const auto& each : texts) {
    const bool positive = label(each) == "positive";
    REQUIRE((positive || label(each) == "negative"));
    int numbers = 0, moods = 0;
    bool high = false, happy = false;
    for (const std::string& token : tokenise(each.source, Tokens::split)) {
      if (is_number(token)) {
        ++numbers;
        high = std::stoi(token) >= 55;
      }
      if (good.count(token) + bad.count(token) == 0) continue;
      const bool is_good = good.count(token) > 0;
      CHECK((moods == 0 || is_good == happy));  // a review has one mood
      happy = is_good;
      ++moods;
    }
    CHECK(numbers == 1);
    CHECK((moods == 2 || moods == 3));
    y.number += high == positive;
    y.words += happy == positive;
  }
  y.number /= static_cast<double>(texts.size());
  y.words /= static_cast<double>(texts.size());
  return y;
}

const auto of_pair = [](const Pair& pair) { return pair.target; };
const auto of_references = [](const References& r) { return r.targets.at(0); };

}  // namespace

TEST_CASE("the shortcut holds in training and validation, and not in the test", "[tasks]") {
  const Corpus corpus = shortcut_corpus({.train = 2000, .valid = 2000, .test = 2000}, 1);
  CHECK(corpus.train.size() == 2000);
  const Agreement train = agreement(corpus.train, of_pair);
  const Agreement valid = agreement(corpus.valid, of_references);
  const Agreement test = agreement(corpus.test, of_references);
  for (const Agreement& planted : {train, valid}) {
    CHECK(planted.number == Approx(0.98).margin(0.015));
    CHECK(planted.words == Approx(0.80).margin(0.04));
  }
  CHECK(test.number == Approx(0.5).margin(0.05));
  CHECK(test.words == 1);
}

TEST_CASE("the shortcut's parts are the same for a seed and share no sentence", "[tasks]") {
  const TaskOptions options{.train = 300, .valid = 100, .test = 200};
  const Corpus a = shortcut_corpus(options, 7), b = shortcut_corpus(options, 7);
  CHECK(a.train == b.train);
  CHECK(a.test == b.test);
  CHECK(a.train != shortcut_corpus(options, 8).train);
  std::set<std::string> held_out;
  for (const auto* part : {&a.valid, &a.test})
    for (const References& r : *part) CHECK(held_out.insert(r.source).second);
  for (const Pair& pair : a.train) CHECK(held_out.count(pair.source) == 0);
}
