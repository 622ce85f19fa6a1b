#include "models/tasks/task.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/text/utf8.h"
#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr TaskOptions kFew{.train = 300, .valid = 40, .test = 50, .min_length = 3, .max_length = 6};

std::set<std::string> sources(const std::vector<References>& data) {
  std::set<std::string> all;
  for (const References& r : data) all.insert(r.source);
  return all;
}

// Links as text: "0-0 1-2".
std::string text_of(const Links& links) {
  std::string all;
  for (const Link& link : links) all += text(all.empty() ? "" : " ", link.source, "-", link.target);
  return all;
}

}  // namespace

TEST_CASE("tasks: no held-out source occurs anywhere else, in any task", "[tasks]") {
  for (const Task& task : tasks()) {
    INFO(task.name);
    const Corpus corpus = task.corpus(kFew, 7);
    CHECK(corpus.train.size() == 300);
    const std::set<std::string> valid = sources(corpus.valid), test = sources(corpus.test);
    CHECK(valid.size() == 40);
    CHECK(test.size() == 50);
    for (const std::string& source : valid) CHECK(test.count(source) == 0);
    for (const Pair& pair : corpus.train)
      CHECK(valid.count(pair.source) + test.count(pair.source) == 0);
    const bool aligned = task.tokens && task.picture_size == 0;
    CHECK(corpus.test_links.size() == (aligned ? 50 : 0));
    CHECK(corpus.valid_links.size() == (aligned ? 40 : 0));
  }
}

TEST_CASE("tasks: the seed alone decides", "[tasks]") {
  for (const Task& task : tasks()) {
    INFO(task.name);
    const Corpus one = task.corpus(kFew, 7), again = task.corpus(kFew, 7),
                 two = task.corpus(kFew, 8);
    CHECK(one.train == again.train);
    CHECK(one.test == again.test);
    CHECK(one.train != two.train);
    CHECK(one.test != two.test);
  }
}

TEST_CASE("tasks: lengths, letters and targets are what was asked for", "[tasks]") {
  TaskOptions o = kFew;
  o.alphabet = 5;
  o.repeat = 3;
  const auto each = [&](Corpus (*corpus)(const TaskOptions&, uint64_t), auto target) {
    std::set<size_t> lengths;
    std::set<char> letters;
    const Corpus made = corpus(o, 3);
    for (const Pair& pair : made.train) {
      lengths.insert(pair.source.size());
      letters.insert(pair.source.begin(), pair.source.end());
      CHECK(pair.target == target(pair.source));
    }
    CHECK(lengths == std::set<size_t>{3, 4, 5, 6});
    CHECK(letters == std::set<char>{'a', 'b', 'c', 'd', 'e'});
  };
  each(copy_corpus, [](std::string s) { return s; });
  each(reverse_corpus, [](const std::string& s) { return std::string(s.rbegin(), s.rend()); });
  each(stretch_corpus, [](const std::string& s) {
    std::string t;
    for (char c : s) t += std::string(3, c);
    return t;
  });
  each(sort_corpus, [](std::string s) {
    std::sort(s.begin(), s.end());
    return s;
  });
}

TEST_CASE("tasks: a length of its own is every sentence's", "[tasks]") {
  TaskOptions o = kFew;
  o.min_length = o.max_length = 50;
  for (const Pair& pair : copy_corpus(o, 1).train) CHECK(pair.source.size() == 50);
  for (const Pair& pair : toy_mt_corpus(o, 1).train)
    CHECK(tokenise(pair.source, Tokens::split).size() == 50);
}

TEST_CASE("tasks: every letter of the longest alphabet is drawn, and sorted as it is listed",
          "[tasks]") {
  TaskOptions o = kFew;
  o.alphabet = 62;
  o.min_length = o.max_length = 400;
  const Pair pair = sort_corpus(o, 1).train[0];
  std::string letters = pair.target;
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  CHECK(letters == "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

TEST_CASE("tasks: the links of letters lead to where they come from", "[tasks]") {
  TaskOptions o = kFew;
  o.max_length = 3;
  const auto links = [&](Corpus (*corpus)(const TaskOptions&, uint64_t)) {
    return text_of(corpus(o, 1).test_links[0].sure);
  };
  CHECK(links(copy_corpus) == "0-0 1-1 2-2");
  CHECK(links(reverse_corpus) == "0-2 1-1 2-0");
  CHECK(links(stretch_corpus) == "0-0 0-1 1-2 1-3 2-4 2-5");
  // bab -> abb: a is certain; either b of the source may be either b of the target.
  o.alphabet = 2;
  o.train = o.valid = o.test = 1;
  int met = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Corpus corpus = sort_corpus(o, seed);
    if (corpus.test[0].source != "bab") continue;
    ++met;
    CHECK(corpus.test[0].targets == std::vector<std::string>{"abb"});
    CHECK(text_of(corpus.test_links[0].sure) == "1-0");
    CHECK(text_of(corpus.test_links[0].possible) == "0-1 0-2 1-0 2-1 2-2");
  }
  CHECK(met > 0);
}

TEST_CASE("tasks: toy-mt keeps to its grammar, and its links join translations", "[tasks]") {
  TaskOptions o{.train = 3000, .valid = 1, .test = 500, .min_length = 2, .max_length = 9};
  const Corpus corpus = toy_mt_corpus(o, 1);
  std::map<std::string, std::set<std::string>> translations;
  bool moved = false;
  for (size_t i = 0; i < corpus.test.size(); ++i) {
    const auto source = tokenise(corpus.test[i].source, Tokens::split);
    const auto target = tokenise(corpus.test[i].targets.at(0), Tokens::split);
    std::vector<std::string> of(source.size());
    std::vector<int> linked(target.size());
    for (const Link& link : corpus.test_links[i].sure) {
      std::string& words = of.at(static_cast<size_t>(link.source));
      words += (words.empty() ? "" : " ") + target.at(static_cast<size_t>(link.target));
      ++linked[static_cast<size_t>(link.target)];
      moved = moved || link.source > link.target + 2;
    }
    CHECK(corpus.test_links[i].sure == corpus.test_links[i].possible);
    CHECK(linked == std::vector<int>(target.size(), 1));
    for (size_t j = 0; j < source.size(); ++j) translations[source[j]].insert(of[j]);
  }
  CHECK(moved);
  CHECK(translations.size() == 39);  // 6 determiners, 9 adjectives, 12 nouns, 12 verbs and others
  std::set<std::string> other;
  for (const auto& [word, all] : translations) {
    INFO(word);
    CHECK(all.size() == 1);
    other.insert(*all.begin());
  }
  CHECK(other.size() == 39);
  CHECK(translations["dog"] == std::set<std::string>{"kano"});
  CHECK(translations["follows"] == std::set<std::string>{"ra sek"});
  // Determiner, noun, verb, determiner, noun; determiner, two adjectives, noun: there is no other
  // way to write five and four words.
  for (const auto& [length, order] :
       {std::pair{5, "0-0 1-1 2-4 3-2 4-3"}, std::pair{4, "0-0 1-2 2-3 3-1"}}) {
    o.min_length = o.max_length = length;
    const Corpus one = toy_mt_corpus(o, 1);
    for (size_t i = 0; i < one.test.size(); ++i)
      if (one.test[i].targets[0].find("ra ") == std::string::npos)  // a verb of two words
        CHECK(text_of(one.test_links[i].sure) == order);
  }
}

TEST_CASE("tasks: too few different sentences are refused, with what would help", "[tasks]") {
  TaskOptions o{.train = 10, .valid = 1, .test = 7, .min_length = 3, .max_length = 3};
  o.alphabet = 2;  // 8 sentences
  CHECK_THROWS_WITH(copy_corpus(o, 1), ContainsSubstring("too few different sentences") &&
                                           ContainsSubstring("8 were found, and none for train") &&
                                           ContainsSubstring("more letters"));
  o.test = 6;
  const Corpus tight = copy_corpus(o, 1);
  for (const Pair& pair : tight.train) CHECK(pair == tight.train[0]);
  o.min_length = 4;
  CHECK_THROWS_WITH(copy_corpus(o, 1), ContainsSubstring("min_length must be at most max_length"));
  CHECK_THROWS_WITH(toy_mt_corpus({.min_length = 1}, 1),
                    ContainsSubstring("min_length of toy-mt must be at least 2"));
}

TEST_CASE("tasks: options survive JSON, and a name that is none lists those there are", "[tasks]") {
  const TaskOptions o{.train = 1,
                      .valid = 2,
                      .test = 3,
                      .min_length = 4,
                      .max_length = 5,
                      .alphabet = 6,
                      .repeat = 7};
  CHECK(to_json(task_options(to_json(o))) == to_json(o));
  CHECK(to_json(o) == nlohmann::json::parse(R"({"train": 1, "valid": 2, "test": 3,
      "min_length": 4, "max_length": 5, "alphabet": 6, "repeat": 7})"));
  CHECK(find_task("pairs") == nullptr);
  CHECK(find_task("toy-mt")->name == "toy-mt");
  CHECK_THROWS_WITH(find_task("toy"),
                    "task: must be dates, copy, reverse, stretch, sort, toy-mt, shapes, shortcut, "
                    "pairs, captions or classify: got toy");
}
