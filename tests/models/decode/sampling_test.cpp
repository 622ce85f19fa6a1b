#include "models/decode/sampling.h"

#include <cmath>
#include <limits>
#include <map>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;

namespace {

// WordModel 4, 5, 6 with the given probabilities, the end with the rest; rows have no state.
class WordModel : public StepModel {
 public:
  explicit WordModel(std::vector<double> p) : p_(std::move(p)) {}
  Step step(const Tensor& tokens) override {
    std::vector<double> log_probs;
    for (int64_t i = 0; i < tokens.numel(); ++i)
      for (double v : p_)
        log_probs.push_back(v > 0 ? std::log(v) : -std::numeric_limits<double>::infinity());
    return {Tensor::from(log_probs, {tokens.numel(), static_cast<int64_t>(p_.size())}), {}};
  }
  void reorder(const Tensor&) override {}

 private:
  std::vector<double> p_;
};

const std::vector<double> kChances{0, 0, 0, 0.1, 0.5, 0.3, 0.1};

std::map<int64_t, double> first_words(const SamplingOptions& options) {
  WordModel model(kChances);
  std::map<int64_t, double> share;
  const auto drawn = sample_search(model, 1, options);
  for (const Hypothesis& h : drawn[0])
    share[h.ids.empty() ? 3 : h.ids[0]] += 1.0 / static_cast<double>(options.samples);
  return share;
}

}  // namespace

TEST_CASE("sampling draws tokens as often as they are likely", "[decode]") {
  const int64_t n = 20000;
  auto share = first_words({.samples = n, .max_length = 1});
  for (int64_t token = 3; token < 7; ++token) {
    const double p = kChances[static_cast<size_t>(token)];
    CHECK(share[token] == Approx(p).margin(5 * std::sqrt(p * (1 - p) / n)));
  }
  // At temperature ½ shares are squares: 0.25, 0.09, 0.01, 0.01 of 0.36.
  share = first_words({.temperature = 0.5, .samples = n, .max_length = 1});
  CHECK(share[4] == Approx(0.25 / 0.36).margin(0.02));
  CHECK(share[5] == Approx(0.09 / 0.36).margin(0.02));
  // The two likeliest alone: 5/8 and 3/8.
  share = first_words({.top_k = 2, .samples = n, .max_length = 1});
  CHECK(share.size() == 2);
  CHECK(share[4] == Approx(0.625).margin(0.02));
}

TEST_CASE("sampling's scores are the model's, and its ends are marked", "[decode]") {
  WordModel model(kChances);
  bool cut = false, ended = false;
  const auto drawn = sample_search(model, 1, {.samples = 50, .max_length = 4});
  for (const Hypothesis& h : drawn[0]) {
    double want = h.finished ? std::log(0.1) : 0;
    for (const int64_t id : h.ids) want += std::log(kChances[static_cast<size_t>(id)]);
    CHECK(h.log_prob == Approx(want));
    CHECK(h.finished == (h.ids.size() < 4));
    cut = cut || !h.finished;
    ended = ended || h.finished;
  }
  CHECK((cut && ended));
}

TEST_CASE("sampling: the same seed gives the same, and a batch what its members give alone",
          "[decode]") {
  const SamplingOptions options{.samples = 3, .max_length = 20, .seed = 7};
  WordModel model(kChances);
  const auto one = sample_search(model, 1, options), three = sample_search(model, 3, options);
  for (const auto& input : three)
    for (size_t k = 0; k < 3; ++k) CHECK(input[k].ids == one[0][k].ids);
  SamplingOptions other = options;
  other.seed = 8;
  bool differs = false;
  const auto changed = sample_search(model, 1, other);
  for (size_t k = 0; k < 3; ++k) differs = differs || changed[0][k].ids != one[0][k].ids;
  CHECK(differs);
}

TEST_CASE("sampling among one token is greedy search", "[decode]") {
  WordModel model({0, 0, 0, 0.3, 0.5, 0.2});
  const auto drawn = sample_search(model, 1, {.top_k = 1, .max_length = 6})[0][0];
  CHECK(drawn.ids == beam_search(model, 1, {.max_length = 6})[0][0].ids);
}

TEST_CASE("sampling refuses what makes no sense", "[decode]") {
  WordModel model(kChances);
  CHECK_THROWS_AS(sample_search(model, 1, {.temperature = 0}), Error);
  CHECK_THROWS_AS(sample_search(model, 1, {.top_k = -1}), Error);
  CHECK_THROWS_AS(sample_search(model, 1, {.samples = 0}), Error);
  CHECK_THROWS_AS(sample_search(model, 2, {.max_lengths = {3}}), Error);
  WordModel nothing({0, 0, 0, 0});
  CHECK(sample_search(nothing, 1, {})[0][0].ids.empty());
}
