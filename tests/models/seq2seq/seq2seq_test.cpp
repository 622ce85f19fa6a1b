#include "models/seq2seq/seq2seq.h"

#include <algorithm>
#include <cmath>
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
          .attention = {.size = 3},
          .layers = layers,
          .cell = cell,
          .bidirectional = bidirectional,
          .dropout = 0};
}

// Every place and kind of attention, cell and encoder.
std::vector<std::pair<std::string, Seq2SeqOptions>> kinds() {
  std::vector<std::pair<std::string, Seq2SeqOptions>> all;
  const auto add = [&](const std::string& name, auto change) {
    Seq2SeqOptions o = small_options(CellKind::lstm, true, 1);
    o.attention.window = 2;
    change(o);
    all.emplace_back(name, o);
  };
  add("additive", [](Seq2SeqOptions&) {});
  add("gru, two layers", [](Seq2SeqOptions& o) {
    o.cell = CellKind::gru;
    o.layers = o.decoder_layers = 2;
  });
  add("rnn, one-way", [](Seq2SeqOptions& o) {
    o.cell = CellKind::rnn;
    o.bidirectional = false;
  });
  add("convolutional", [](Seq2SeqOptions& o) {
    o.convolutional = true;
    o.layers = 2;
  });
  add("none", [](Seq2SeqOptions& o) { o.place = AttentionPlace::none; });
  add("bridge copy", [](Seq2SeqOptions& o) {
    o.bridge = Bridge::copy;
    o.bidirectional = false;
    o.layers = o.decoder_layers = 2;
  });
  add("bridge none", [](Seq2SeqOptions& o) { o.bridge = Bridge::none; });
  for (const char* score : {"dot", "scaled-dot", "general", "concat", "cosine", "location"})
    add(score, [&](Seq2SeqOptions& o) {
      o.place = AttentionPlace::after;
      o.attention.score = score;
      o.attention.size = 6;
    });
  add("after, no feeding", [](Seq2SeqOptions& o) {
    o.place = AttentionPlace::after;
    o.input_feeding = false;
  });
  for (const char* scope : {"local-m", "local-p", "laplace", "gaussian", "linear"})
    add(scope, [&](Seq2SeqOptions& o) { o.attention.scope = scope; });
  for (const char* normalizer : {"monotonic", "mocha"})
    add(normalizer, [&](Seq2SeqOptions& o) { o.attention.normalizer = normalizer; });
  add("heads", [](Seq2SeqOptions& o) {
    o.hidden = 4;
    o.attention.heads = 2;
  });
  add("additive, popular", [](Seq2SeqOptions& o) { o.attention.dialect = "popular"; });
  add("concat, authors", [](Seq2SeqOptions& o) {
    o.attention.score = "concat";
    o.attention.dialect = "authors";
  });
  add("coverage, tied", [](Seq2SeqOptions& o) {
    o.attention.coverage = true;
    o.tied = true;
  });
  return all;
}

const std::vector<Source> kSources = {{4, 5, 6}, {7}, {8, 4, 4, 5, 6}};
const std::vector<std::vector<int64_t>> kTargets = {{4, 5}, {6, 7, 7}, {4}};

}  // namespace

TEST_CASE("a bridge hands the encoder's states to the decoder, or nothing") {
  const Tensor tokens = Tensor::from<int64_t>({4, 5, 6, 7, 8, 0}, {2, 3});
  const auto begin = [&](Bridge bridge, CellKind cell) {
    Seq2SeqOptions o = small_options(cell, false, 2);
    o.decoder_layers = 2;
    o.bridge = bridge;
    Seq2Seq model(o, 1);
    model.eval();
    const Encoder::Output read =
        model.encoder.read(model.encoder.embed(tokens), {3, 2}, model.generator());
    return std::pair{read, model.decoder.start(read.last, read.h, read.c)};
  };
  for (const CellKind cell : {CellKind::lstm, CellKind::gru}) {
    const auto [read, copied] = begin(Bridge::copy, cell);
    CHECK(copied.h.value().to_vector<float>() == read.h.value().to_vector<float>());
    CHECK(copied.c.defined() == (cell == CellKind::lstm));
    // The top layer's final state is what the encoder says of the whole sentence.
    CHECK(select(copied.h, 0, 1).value().to_vector<float>() ==
          read.last.value().to_vector<float>());
    const auto [unread, zero] = begin(Bridge::none, cell);
    CHECK(zero.h.value().to_vector<float>() == std::vector<float>(2 * 2 * 5, 0));
    CHECK(zero.c.defined() == (cell == CellKind::lstm));
    const auto [last, dense] = begin(Bridge::dense, cell);
    CHECK(dense.h.shape() == Shape{2, 2, 5});
  }
  Seq2SeqOptions both = small_options(CellKind::lstm, true, 1);
  both.bridge = Bridge::copy;
  CHECK_THROWS_WITH(Seq2Seq(both, 1),
                    Catch::Matchers::ContainsSubstring("a recurrent encoder of one direction"));
  CHECK_THROWS_WITH(bridge_named("x"), "model: bridge must be none, copy or dense: got x");
}

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
  for (const auto& [kind, chosen] : kinds()) {
    Seq2Seq model(chosen, 3);
    model.to(kFloat64);
    const Seq2SeqBatch batch = make_batch(kSources, kTargets);
    CheckOptions options;
    options.second_order = false;
    for (const auto& [name, p] : model.named_parameters()) options.input_names.push_back(name);
    const GradReport report = check(
        [&](const Vars&) {
          model.generator() = Generator(4);  // monotonic attention draws noise
          return Vars{model.loss(batch).mean};
        },
        model.parameters(), options);
    INFO(kind << "\n" << report.text());
    CHECK(report.ok());
  }
}

TEST_CASE("Seq2Seq: a sentence's loss does not depend on its neighbours or the padding") {
  for (const auto& [kind, chosen] : kinds()) {
    INFO(kind);
    Seq2Seq model(chosen, 5);
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
}

TEST_CASE("Seq2Seq: a batch translates to what its members translate to alone") {
  for (const auto& [kind, chosen] : kinds()) {
    INFO(kind);
    Seq2Seq model(chosen, 6);
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
          REQUIRE(alone[k].weights.size() ==
                  (chosen.place == AttentionPlace::none ? 0 : alone[k].ids.size()));
          for (size_t t = 0; t < alone[k].weights.size(); ++t)
            for (size_t j = 0; j < alone[k].weights[t].size(); ++j)
              CHECK(alone[k].weights[t][j] == Approx(together[i][k].weights[t][j]).margin(1e-10));
        }
      }
    }
  }
}

TEST_CASE("Seq2Seq: the search's log probability is the loss of the same answer") {
  size_t endless = 0;
  for (const auto& [kind, chosen] : kinds()) {
    INFO(kind);
    Seq2Seq model(chosen, 7);
    model.to(kFloat64);
    model.eval();
    const Tensor bias = model.decoder.output.bias.value();
    if (bias.size(0) == chosen.target_vocabulary) bias.narrow(0, 3, 1).fill_(1);  // ends sooner
    const auto found =
        model.translate({kSources[0]}, {.beam = 4, .max_length = 40, .n_best = 1})[0][0];
    if (!found.finished) {
      ++endless;
      continue;
    }
    const NoGrad no_grad;
    const Seq2SeqBatch batch = make_batch({kSources[0]}, {found.ids});
    const auto loss = model.loss(batch);
    CHECK(-loss.mean.item() * static_cast<double>(loss.tokens) ==
          Approx(found.log_prob).epsilon(1e-9));
    // The maps of the search are those of the answer.
    const Tensor weights = model.attention(batch);
    REQUIRE(weights.defined() == (chosen.place != AttentionPlace::none));
    for (size_t t = 0; t < found.weights.size(); ++t)
      for (size_t j = 0; j < found.weights[t].size(); ++j)
        CHECK(weights.at({0, static_cast<int64_t>(t), static_cast<int64_t>(j)}) ==
              Approx(found.weights[t][j]).margin(1e-9));
  }
  CHECK(endless <= 2);
}

TEST_CASE("Seq2Seq: hard attention trains by REINFORCE and remembers its baseline") {
  Seq2SeqOptions chosen = small_options(CellKind::lstm, true, 1);
  chosen.attention.normalizer = "hard";
  Seq2Seq model(chosen, 3);
  const auto loss = model.loss(make_batch(kSources, kTargets));
  loss.mean.backward();
  for (const auto& [name, p] : model.named_parameters()) {
    INFO(name);
    REQUIRE(p.grad().defined());
    if (name.find("attention") == std::string::npos) continue;
    double size = 0;  // without the estimator the scores would get nothing
    for (const float g : p.grad().value().to_vector<float>()) size += std::abs(g);
    CHECK(size > 0);
  }
  // A tenth of the first reward, about log 1/8.
  CHECK(model.state_dict().at("baseline").item() < -0.1);
  // The reward is the mean log probability, and the estimator's term no part of what is shown.
  CHECK(loss.cross_entropy.item() ==
        Approx(-10 * model.state_dict().at("baseline").item()).epsilon(1e-4));
  CHECK(loss.mean.item() != Approx(loss.cross_entropy.item()).epsilon(1e-4));
  model.eval();
  const auto found = model.translate(kSources, {.max_length = 4})[0][0];
  REQUIRE(!found.weights.empty());
  for (const auto& row : found.weights) CHECK(*std::max_element(row.begin(), row.end()) == 1);
}

TEST_CASE("Seq2Seq: smoothing and penalties stand beside the cross-entropy of evaluation") {
  for (const double smoothing : {0.0, 0.2}) {
    Seq2SeqOptions chosen = small_options(CellKind::lstm, true, 1);
    chosen.dropout = 0;
    chosen.label_smoothing = smoothing;
    chosen.doubly.weight = smoothing == 0 ? 1 : 0;
    Seq2Seq model(chosen, 3);
    const Seq2SeqBatch batch = make_batch(kSources, kTargets);
    const auto trained = model.loss(batch);
    model.eval();
    const auto evaluated = model.loss(batch);
    CHECK(trained.cross_entropy.item() == Approx(evaluated.mean.item()));
    CHECK(evaluated.cross_entropy.item() == evaluated.mean.item());
    CHECK(trained.mean.item() != Approx(evaluated.mean.item()));
  }
}

TEST_CASE("Seq2Seq: with scheduled sampling the decoder is given its own tokens") {
  Seq2SeqOptions chosen = small_options(CellKind::lstm, true, 1);
  chosen.sampling = {"linear", 10};
  Seq2Seq model(chosen, 3), forced(small_options(CellKind::lstm, true, 1), 3);
  const Seq2SeqBatch batch = make_batch(kSources, kTargets);
  const NoGrad no_grad;
  CHECK(model.loss(batch, 0).mean.item() == forced.loss(batch).mean.item());
  // From step 10 on nothing of target_in but the start is read.
  Seq2SeqBatch other = batch;
  other.target_in = batch.target_in.clone();
  other.target_in.narrow(1, 1, other.target_in.size(1) - 1).fill_(5);
  CHECK(model.loss(batch, 10).mean.item() == model.loss(other, 10).mean.item());
  CHECK(model.loss(batch, 0).mean.item() != model.loss(other, 0).mean.item());
  model.eval();
  forced.eval();
  CHECK(model.loss(batch, 10).mean.item() == forced.loss(batch).mean.item());
}

TEST_CASE("scheduled sampling's schedules are those of the paper") {
  CHECK(ScheduledSampling{}.keep(99) == 1);
  CHECK(ScheduledSampling{"linear", 10}.keep(4) == Approx(0.6));
  CHECK(ScheduledSampling{"linear", 10}.keep(40) == 0);
  CHECK(ScheduledSampling{"exponential", 0.5}.keep(3) == Approx(0.125));
  CHECK(ScheduledSampling{"inverse-sigmoid", 1}.keep(0) == Approx(0.5));
  CHECK(ScheduledSampling{"inverse-sigmoid", 2}.keep(2) == Approx(0.4238831));  // 2/(2 + e)
  CHECK_THROWS_AS((ScheduledSampling{"exponential", 2}.keep(0)), Error);
  CHECK_THROWS_AS((ScheduledSampling{"cubic", 2}.keep(0)), Error);
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
                 .attention = {.size = 16},
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
    model.loss(make_batch({sources.begin(), sources.end()}, reversed(sources))).mean.backward();
    clip_grad_norm_(model.parameters(), 1.0);
    adam.step();
  }
  model.eval();
  const auto sources = sentences(100), expected = reversed(sources);
  const auto found = model.translate({sources.begin(), sources.end()}, {.max_length = 10});
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
  wrong["cell"] = "mlp";
  CHECK_THROWS_WITH(seq2seq_options(missing), Catch::Matchers::ContainsSubstring("hidden"));
  CHECK_THROWS_WITH(seq2seq_options(unknown), Catch::Matchers::ContainsSubstring("hiden"));
  CHECK_THROWS_WITH(seq2seq_options(wrong), Catch::Matchers::ContainsSubstring("mlp"));
}

TEST_CASE("Seq2Seq: nothing is dropped in evaluation, whatever the layers") {
  for (const CellKind cell : {CellKind::lstm, CellKind::gru, CellKind::rnn}) {
    Seq2SeqOptions chosen = small_options(cell, true, 2);
    chosen.decoder_layers = 2;
    chosen.dropout = 0.5;
    Seq2Seq model(chosen, 3);
    const Seq2SeqBatch batch = make_batch(kSources, kTargets);
    const NoGrad no_grad;
    CHECK(model.loss(batch).mean.item() != model.loss(batch).mean.item());
    model.eval();
    CHECK(model.loss(batch).mean.item() == model.loss(batch).mean.item());
    model.train();
    CHECK(model.loss(batch).mean.item() != model.loss(batch).mean.item());
  }
}
