#include "models/decode/search.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// A language given by a function from the tokens so far (and the input's number) to probabilities.
// The history of every row is its state, so a row that does not follow its parent shows at once.
class Language : public StepModel {
 public:
  using Probabilities = std::function<std::vector<double>(int64_t, const std::vector<int64_t>&)>;
  Language(int64_t batch, Probabilities p) : p_(std::move(p)) {
    for (int64_t i = 0; i < batch; ++i) rows_.push_back({i, {}});
  }
  Step step(const Tensor& tokens) override {
    REQUIRE(tokens.numel() == static_cast<int64_t>(rows_.size()));
    std::vector<double> log_probs, weights;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const int64_t token = tokens.data<int64_t>()[i];
      if (token != 2) rows_[i].tokens.push_back(token);
      const std::vector<double> p = p_(rows_[i].input, rows_[i].tokens);
      for (double v : p) log_probs.push_back(v > 0 ? std::log(v) : kNever);
      // A map that names the step and the history it belongs to.
      weights.push_back(static_cast<double>(rows_[i].tokens.size()));
      weights.push_back(rows_[i].tokens.empty() ? -1 : static_cast<double>(rows_[i].tokens.back()));
      vocabulary_ = static_cast<int64_t>(p.size());
    }
    const auto n = static_cast<int64_t>(rows_.size());
    return {Tensor::from(log_probs, {n, vocabulary_}), Tensor::from(weights, {n, 2})};
  }
  void reorder(const Tensor& rows) override {
    std::vector<Row> next;
    for (int64_t i = 0; i < rows.numel(); ++i)
      next.push_back(rows_.at(static_cast<size_t>(rows.data<int64_t>()[i])));
    rows_ = next;
  }

 private:
  struct Row {
    int64_t input;
    std::vector<int64_t> tokens;
  };
  Probabilities p_;
  std::vector<Row> rows_;
  int64_t vocabulary_ = 0;
};

// Reproducible pseudo-random probabilities of a history over ids 3 (eos) ... 3 + words.
std::vector<double> random_language(uint64_t seed, const std::vector<int64_t>& tokens, int words) {
  uint64_t h = seed * 0x9E3779B97F4A7C15u + 1;
  for (int64_t t : tokens) h = (h ^ static_cast<uint64_t>(t)) * 0xBF58476D1CE4E5B9u + 7;
  std::vector<double> p(static_cast<size_t>(4 + words), 0.0);
  double total = 0;
  for (size_t i = 3; i < p.size(); ++i) {
    h ^= h >> 29;
    h *= 0x94D049BB133111EBu;
    h ^= h >> 32;
    p[i] = 0.05 + static_cast<double>(h % 1000) / 1000;
    total += p[i];
  }
  for (double& v : p) v /= total;
  return p;
}

// The best finished hypothesis of at most max_length tokens, by trying all of them.
Hypothesis brute_force(const Language::Probabilities& p, int64_t max_length, double penalty) {
  Hypothesis best;
  best.score = kNever;
  std::function<void(std::vector<int64_t>, double)> extend = [&](std::vector<int64_t> ids,
                                                                 double log_prob) {
    const std::vector<double> next = p(0, ids);
    for (size_t token = 3; token < next.size(); ++token) {
      const double total = log_prob + std::log(next[token]);
      const auto length = static_cast<double>(ids.size() + 1);
      if (token == 3) {
        if (total / std::pow(length, penalty) > best.score)
          best = {ids, total, total / std::pow(length, penalty), true, {}};
      } else if (static_cast<int64_t>(ids.size()) + 1 < max_length) {
        ids.push_back(static_cast<int64_t>(token));
        extend(ids, total);
        ids.pop_back();
      }
    }
  };
  extend({}, 0);
  return best;
}

}  // namespace

TEST_CASE("beam search: the first step gives different hypotheses, not one several times") {
  // Words x = 4 (0.6), y = 5 (0.3), end (0.1); after a word the end is certain.
  Language model(1, [](int64_t, const std::vector<int64_t>& tokens) -> std::vector<double> {
    if (tokens.empty()) return {0, 0, 0, 0.1, 0.6, 0.3};
    return {0, 0, 0, 1, 0, 0};
  });
  const auto found =
      beam_search(model, 1, {.beam = 3, .max_length = 5, .length_penalty = 0, .n_best = 3})[0];
  REQUIRE(found.size() == 3);
  CHECK(found[0].ids == std::vector<int64_t>{4});
  CHECK(found[0].log_prob == Approx(-0.5108256));
  CHECK(found[1].ids == std::vector<int64_t>{5});
  CHECK(found[1].log_prob == Approx(-1.2039728));
  CHECK(found[2].ids.empty());
  CHECK(found[2].log_prob == Approx(-2.3025851));
}

TEST_CASE("beam search: a beam wider than the choices takes nothing of probability 0") {
  Language model(1, [](int64_t, const std::vector<int64_t>& tokens) -> std::vector<double> {
    if (tokens.empty()) return {0, 0, 0, 0, 0.5, 0.5};
    return {0, 0, 0, 1, 0, 0};
  });
  const auto found = beam_search(model, 1, {.beam = 4, .max_length = 5, .n_best = 4})[0];
  REQUIRE(found.size() == 2);                      // fewer than asked for: there are no more
  CHECK(found[0].ids == std::vector<int64_t>{4});  // equal scores: the lower id first
  CHECK(found[1].ids == std::vector<int64_t>{5});
}

TEST_CASE("beam search: without an end the best unfinished one is cut and marked") {
  Language model(1, [](int64_t, const std::vector<int64_t>&) -> std::vector<double> {
    return {0, 0, 0, 0, 0.25, 0.75};
  });
  const auto found = beam_search(model, 1, {.beam = 2, .max_length = 50})[0];
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].finished);
  CHECK(found[0].ids == std::vector<int64_t>(50, 5));
  REQUIRE(found[0].weights.size() == 50);
  CHECK(found[0].weights[49] == std::vector<double>{49, 5});
}

TEST_CASE("beam search: no possible token at all still gives a result") {
  Language model(1, [](int64_t, const std::vector<int64_t>& tokens) -> std::vector<double> {
    if (tokens.size() < 2) return {0, 0, 0, 0, 1, 0};
    return {0, 0, 0, 0, 0, 0};
  });
  const auto found = beam_search(model, 1, {.beam = 2, .max_length = 9})[0];
  REQUIRE(found.size() == 1);
  CHECK(found[0].ids == std::vector<int64_t>{4, 4});
  CHECK_FALSE(found[0].finished);
}

TEST_CASE("beam search: a beam of 1 is greedy and stops at the first end") {
  Language model(1, [](int64_t, const std::vector<int64_t>& tokens) -> std::vector<double> {
    if (tokens.empty()) return {0, 0, 0, 0.4, 0.6, 0};
    return {0, 0, 0, 0.51, 0.49, 0};
  });
  const auto found = beam_search(model, 1, {.max_length = 20})[0];
  CHECK(found[0].ids == std::vector<int64_t>{4});
  CHECK(found[0].finished);
}

TEST_CASE("beam search: a wide beam finds what brute force finds") {
  for (double penalty : {0.0, 0.6, 1.0, 2.0}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const auto p = [seed](int64_t, const std::vector<int64_t>& t) {
        return random_language(seed, t, 2);
      };
      const Hypothesis expected = brute_force(p, 5, penalty);
      Language model(1, p);
      const auto found = beam_search(
          model, 1, {.beam = 200, .max_length = 5, .length_penalty = penalty, .n_best = 1})[0];
      INFO("seed " << seed << ", penalty " << penalty);
      CHECK(found[0].ids == expected.ids);
      CHECK(found[0].score == Approx(expected.score).epsilon(1e-12));
    }
  }
}

TEST_CASE("beam search: a batch decodes to what its members decode to alone") {
  const auto p = [](int64_t input, const std::vector<int64_t>& t) {
    return random_language(static_cast<uint64_t>(input), t, 6);
  };
  for (int64_t beam : {1, 3, 5}) {
    const SearchOptions options{.beam = beam, .max_length = 12, .n_best = beam};
    Language together(7, p);
    const auto batch = beam_search(together, 7, options);
    for (int64_t i = 0; i < 7; ++i) {
      Language alone(1, [&](int64_t, const std::vector<int64_t>& t) { return p(i, t); });
      const auto single = beam_search(alone, 1, options)[0];
      const auto& mine = batch[static_cast<size_t>(i)];
      REQUIRE(mine.size() == single.size());
      for (size_t k = 0; k < mine.size(); ++k) {
        CHECK(mine[k].ids == single[k].ids);
        CHECK(mine[k].log_prob == single[k].log_prob);
        // The attention maps followed their hypothesis.
        REQUIRE(mine[k].weights.size() == mine[k].ids.size());
        for (size_t t = 0; t < mine[k].ids.size(); ++t) {
          CHECK(mine[k].weights[t][0] == static_cast<double>(t));
          CHECK(mine[k].weights[t][1] == (t == 0 ? -1 : static_cast<double>(mine[k].ids[t - 1])));
        }
      }
    }
  }
}

TEST_CASE("beam search: options that make no sense are errors") {
  const auto p = [](int64_t, const std::vector<int64_t>& t) { return random_language(1, t, 2); };
  Language model(1, p);
  CHECK_THROWS_AS(beam_search(model, 1, {.beam = 0}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.max_length = 0}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.beam = 2, .n_best = 3}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.length_penalty = -1}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.coverage_penalty = -1}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.max_length = 5, .min_length = 5}), Error);
  CHECK_THROWS_AS(beam_search(model, 1, {.no_repeat_ngram = -1}), Error);
  CHECK(beam_search(model, 0, {}).empty());
}

// ((5 + 2)/6)^1 for one word and the end, log ¼.
TEST_CASE("beam search: GNMT's length normalisation") {
  Language model(1, [](int64_t, const std::vector<int64_t>& t) -> std::vector<double> {
    if (t.empty()) return {0, 0, 0, 0, 0.5, 0.5};
    return {0, 0, 0, 0.5, 0.25, 0.25};
  });
  const auto found =
      beam_search(model, 1, {.beam = 4, .max_length = 2, .length_norm = LengthNorm::gnmt})[0];
  CHECK(found[0].log_prob == Approx(std::log(0.25)));
  CHECK(found[0].score == Approx(std::log(0.25) * 6 / 7));
}

TEST_CASE("beam search: an end before min_length is not taken") {
  const auto p = [](int64_t, const std::vector<int64_t>&) -> std::vector<double> {
    return {0, 0, 0, 0.9, 0.06, 0.04};
  };
  for (int64_t least = 0; least < 4; ++least) {
    Language model(1, p);
    const auto found = beam_search(model, 1, {.beam = 2, .min_length = least})[0];
    CHECK(found[0].finished);
    CHECK(static_cast<int64_t>(found[0].ids.size()) == least);
  }
}

TEST_CASE("beam search: n-grams that may not come twice do not") {
  const auto p = [](int64_t, const std::vector<int64_t>& t) -> std::vector<double> {
    // Left alone it writes 4 4 4 4 …
    return {0, 0, 0, t.size() < 5 ? 0.001 : 0.9, 0.8, 0.15, 0.049};
  };
  Language free(1, p), one(1, p), two(1, p);
  CHECK(beam_search(free, 1, {})[0][0].ids == std::vector<int64_t>{4, 4, 4, 4, 4});
  CHECK(beam_search(one, 1, {.no_repeat_ngram = 1})[0][0].ids == std::vector<int64_t>{4, 5, 6});
  CHECK(beam_search(two, 1, {.no_repeat_ngram = 2})[0][0].ids ==
        std::vector<int64_t>{4, 4, 5, 4, 6});
}

namespace {

// Words 4 and 5 look at the source's places 0 and 1; after two words the end is certain.
class Looking : public StepModel {
 public:
  Step step(const Tensor& tokens) override {
    ++length_;
    std::vector<double> log_probs, weights;
    for (int64_t i = 0; i < tokens.numel(); ++i) {
      const bool over = length_ > 2;
      for (double v : {0.0, 0.0, 0.0, over ? 1.0 : 0.0, over ? 0.0 : 0.6, over ? 0.0 : 0.4})
        log_probs.push_back(v > 0 ? std::log(v) : kNever);
      // What this step looks at depends on the step alone: first mostly 0, then mostly 1.
      const double first = length_ == 1 ? 0.75 : 0.25;
      weights.push_back(first);
      weights.push_back(0.5 - first / 2);
    }
    const int64_t n = tokens.numel();
    return {Tensor::from(log_probs, {n, 6}), Tensor::from(weights, {n, 2})};
  }
  void reorder(const Tensor&) override {}

 private:
  int64_t length_ = 0;
};

}  // namespace

// Sums of the weights 1 and 0.125 + 0.375 = 0.5: the penalty is 2·log ½.
TEST_CASE("beam search: the coverage penalty counts what was passed over") {
  Looking model;
  const auto found =
      beam_search(model, 1, {.length_penalty = 0, .keep_weights = false, .coverage_penalty = 2})[0];
  CHECK(found[0].ids == std::vector<int64_t>{4, 4});
  CHECK(found[0].log_prob == Approx(2 * std::log(0.6)));
  CHECK(found[0].score == Approx(2 * std::log(0.6) + 2 * std::log(0.5)));
  CHECK(found[0].weights.empty());
}

namespace {

// Never ends. Remembers nothing, so that its own cost does not grow with the answer.
class Endless : public StepModel {
 public:
  Step step(const Tensor& tokens) override {
    ++steps;
    rows += tokens.numel();
    const std::vector<double> p = {kNever, kNever, kNever, kNever, std::log(0.5), std::log(0.5)};
    std::vector<double> log_probs, weights;
    for (int64_t i = 0; i < tokens.numel(); ++i) {
      log_probs.insert(log_probs.end(), p.begin(), p.end());
      weights.push_back(static_cast<double>(steps));
    }
    return {Tensor::from(log_probs, {tokens.numel(), 6}),
            Tensor::from(weights, {tokens.numel(), 1})};
  }
  void reorder(const Tensor& parents) override { reordered += parents.numel(); }
  int64_t steps = 0, rows = 0, reordered = 0;
};

}  // namespace

// When each step copied its hypotheses, this took minutes.
TEST_CASE("beam search: a step costs the same however long the hypotheses are") {
  constexpr int64_t kLength = 30000, kBeam = 4;
  Endless model;
  const auto found = beam_search(model, 1, {.beam = kBeam, .max_length = kLength})[0];
  CHECK(model.steps == kLength);
  CHECK(model.rows <= kLength * kBeam);
  CHECK(model.reordered <= kLength * kBeam);
  REQUIRE(found[0].ids.size() == kLength);
  REQUIRE(found[0].weights.size() == kLength);
  CHECK(found[0].weights[kLength - 1][0] == kLength);
}

TEST_CASE("beam search: each input has its own length limit, and rows are kept on request") {
  Endless model;
  const auto found =
      beam_search(model, 3, {.beam = 2, .max_lengths = {3, 1, 7}, .keep_weights = false});
  CHECK(found[0][0].ids.size() == 3);
  CHECK(found[1][0].ids.size() == 1);
  CHECK(found[2][0].ids.size() == 7);
  CHECK(found[2][0].weights.empty());
  CHECK_THROWS_WITH(beam_search(model, 3, {.max_lengths = {3, 1}}),
                    Catch::Matchers::ContainsSubstring("one of max_lengths per input"));
  CHECK_THROWS_WITH(beam_search(model, 1, {.max_lengths = {0}}),
                    Catch::Matchers::ContainsSubstring("must be at least 1"));
}
