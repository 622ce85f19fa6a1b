#include "models/seq2seq/seq2seq.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.h"
#include "models/text/vocabulary.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "tests/catch.h"

using namespace glass;

namespace {

Seq2SeqOptions small_options(CellKind cell, bool bidirectional, int64_t layers) {
  return {.source_vocabulary = 9,
          .target_vocabulary = 8,
          .embedding = 4,
          .hidden = 5,
          .attention = 3,
          .layers = layers,
          .cell = cell,
          .bidirectional = bidirectional,
          .dropout = 0};
}

const std::vector<std::vector<int64_t>> kSources = {{4, 5, 6}, {7}, {8, 4, 4, 5, 6}};
const std::vector<std::vector<int64_t>> kTargets = {{4, 5}, {6, 7, 7}, {4}};

}  // namespace

TEST_CASE("make_batch pads, shifts and counts") {
  const Seq2SeqBatch b = make_batch(kSources, kTargets);
  CHECK(b.source.to_vector<int64_t>() ==
        std::vector<int64_t>{4, 5, 6, 0, 0, 7, 0, 0, 0, 0, 8, 4, 4, 5, 6});
  CHECK(b.source_lengths == std::vector<int64_t>{3, 1, 5});
  CHECK(b.target_in.to_vector<int64_t>() ==
        std::vector<int64_t>{2, 4, 5, 0, 2, 6, 7, 7, 2, 4, 0, 0});
  CHECK(b.target_out.to_vector<int64_t>() ==
        std::vector<int64_t>{4, 5, 3, 0, 6, 7, 7, 3, 4, 3, 0, 0});
  CHECK(b.target_tokens == 9);
  CHECK_THROWS_AS(make_batch(kSources, {{4}}), Error);
}

TEST_CASE("Seq2Seq: every parameter's gradient agrees with finite differences") {
  for (CellKind cell : {CellKind::lstm, CellKind::gru}) {
    for (bool bidirectional : {true, false}) {
      Seq2Seq model(small_options(cell, bidirectional, bidirectional ? 2 : 1), 3);
      model.to(kFloat64);
      const Seq2SeqBatch batch = make_batch(kSources, kTargets);
      CheckOptions options;
      options.second_order = false;
      for (const auto& [name, p] : model.named_parameters()) options.input_names.push_back(name);
      const GradReport report = check([&](const Vars&) { return Vars{model.loss(batch).mean}; },
                                      model.parameters(), options);
      INFO(report.text());
      CHECK(report.ok());
    }
  }
}

TEST_CASE("Seq2Seq: a sentence's loss does not depend on its neighbours or the padding") {
  Seq2Seq model(small_options(CellKind::lstm, true, 1), 5);
  model.to(kFloat64);
  model.eval();
  const NoGrad no_grad;
  double sum = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < kSources.size(); ++i) {
    const auto alone = model.loss(make_batch({kSources[i]}, {kTargets[i]}));
    sum += alone.mean.item() * static_cast<double>(alone.tokens);
    tokens += alone.tokens;
  }
  const auto together = model.loss(make_batch(kSources, kTargets));
  CHECK(together.tokens == tokens);
  CHECK(together.mean.item() == Approx(sum / static_cast<double>(tokens)).epsilon(1e-12));
}

TEST_CASE("Seq2Seq: a batch translates to what its members translate to alone") {
  Seq2Seq model(small_options(CellKind::gru, true, 1), 6);
  model.to(kFloat64);
  model.eval();
  for (int64_t beam : {1, 3}) {
    const SearchOptions options{.beam = beam, .max_length = 7, .n_best = beam};
    const auto together = model.translate(kSources, options);
    for (size_t i = 0; i < kSources.size(); ++i) {
      const auto alone = model.translate({kSources[i]}, options)[0];
      REQUIRE(alone.size() == together[i].size());
      for (size_t k = 0; k < alone.size(); ++k) {
        CHECK(alone[k].ids == together[i][k].ids);
        CHECK(alone[k].log_prob == Approx(together[i][k].log_prob).epsilon(1e-10));
        for (const auto& row : alone[k].weights) {
          double total = 0;
          for (double w : row) total += w;
          CHECK(total == Approx(1).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("Seq2Seq: the search's log probability is the loss of the same answer") {
  Seq2Seq model(small_options(CellKind::lstm, true, 1), 7);
  model.to(kFloat64);
  model.eval();
  const auto found =
      model.translate({kSources[0]}, {.beam = 4, .max_length = 12, .n_best = 1})[0][0];
  REQUIRE(found.finished);
  const NoGrad no_grad;
  const auto loss = model.loss(make_batch({kSources[0]}, {found.ids}));
  CHECK(-loss.mean.item() * static_cast<double>(loss.tokens) ==
        Approx(found.log_prob).epsilon(1e-9));
}

TEST_CASE("Seq2Seq: translating in training mode is an error, nothing to translate is not") {
  Seq2Seq model(small_options(CellKind::lstm, true, 1), 8);
  CHECK_THROWS_AS(model.translate(kSources, {}), Error);
  model.eval();
  CHECK(model.translate({}, {}).empty());
  CHECK(model.translate({{}}, {.max_length = 3}).size() == 1);  // an empty sentence
}

TEST_CASE("Seq2Seq learns to reverse short strings") {
  Seq2Seq model({.source_vocabulary = 9,
                 .target_vocabulary = 9,
                 .embedding = 16,
                 .hidden = 32,
                 .attention = 16,
                 .dropout = 0},
                1);
  Generator generator(2);
  const auto sentences = [&](int64_t n) {
    std::vector<std::vector<int64_t>> rows;
    for (int64_t i = 0; i < n; ++i) {
      rows.emplace_back();
      const int64_t length = 1 + generator.draw_int(5);
      for (int64_t k = 0; k < length; ++k) rows.back().push_back(4 + generator.draw_int(5));
    }
    return rows;
  };
  const auto reversed = [](std::vector<std::vector<int64_t>> rows) {
    for (auto& row : rows) std::reverse(row.begin(), row.end());
    return rows;
  };
  Adam adam(model.parameters(), {.lr = 1e-2});
  for (int step = 0; step < 250; ++step) {
    const auto sources = sentences(32);
    model.zero_grad();
    model.loss(make_batch(sources, reversed(sources))).mean.backward();
    clip_grad_norm_(model.parameters(), 1.0);
    adam.step();
  }
  model.eval();
  const auto sources = sentences(100), expected = reversed(sources);
  const auto found = model.translate(sources, {.max_length = 10});
  int right = 0;
  for (size_t i = 0; i < sources.size(); ++i) right += found[i][0].ids == expected[i];
  CHECK(right >= 90);
}

TEST_CASE("Seq2SeqOptions survive JSON, and damage is named") {
  const Seq2SeqOptions options = small_options(CellKind::gru, false, 2);
  const nlohmann::json json = to_json(options);
  CHECK(to_json(seq2seq_options(json)) == json);
  nlohmann::json missing = json, unknown = json, wrong = json;
  missing.erase("hidden");
  unknown["hiden"] = 3;
  wrong["cell"] = "rnn";
  CHECK_THROWS_WITH(seq2seq_options(missing), Catch::Matchers::ContainsSubstring("hidden"));
  CHECK_THROWS_WITH(seq2seq_options(unknown), Catch::Matchers::ContainsSubstring("hiden"));
  CHECK_THROWS_WITH(seq2seq_options(wrong), Catch::Matchers::ContainsSubstring("rnn"));
}
