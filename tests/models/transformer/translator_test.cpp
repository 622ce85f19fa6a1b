#include "models/transformer/translator.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.h"
#include "models/text/vocabulary.h"
#include "nn/attention/audit.h"
#include "nn/positions.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

using TargetRows = std::vector<std::vector<int64_t>>;

TransformerTranslatorOptions transformer_options() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 8,
          .d_model = 4,
          .ffn = 6,
          .heads = 2,
          .layers = 1,
          .decoder_layers = 2,
          .dropout = 0};
}

std::vector<std::pair<std::string, TransformerTranslatorOptions>> transformer_kinds() {
  std::vector<std::pair<std::string, TransformerTranslatorOptions>> all;
  const auto add = [&](const std::string& name, auto change) {
    TransformerTranslatorOptions o = transformer_options();
    change(o);
    all.emplace_back(name, o);
  };
  add("norm last", [](auto&) {});
  add("norm first", [](auto& o) { o.norm_first = true; });
  add("tied, one head", [](auto& o) {
    o.tied = true;
    o.heads = 1;
    o.layers = 2;
  });
  return all;
}

const std::vector<Source> kTransformerSources = {{4, 5, 6}, {7}, {8, 4, 4, 5, 6}};
const TargetRows kTransformerTargets = {{4, 5}, {6, 7, 7}, {4}};

TransformerTranslator exact_transformer(const TransformerTranslatorOptions& options,
                                        uint64_t seed) {
  TransformerTranslator model(options, seed);
  model.to(kFloat64);
  model.eval();
  return model;
}

}  // namespace

TEST_CASE("Transformer: every parameter's gradient agrees with finite differences") {
  for (const auto& [kind, chosen] : transformer_kinds()) {
    TransformerTranslatorOptions smooth = chosen;
    smooth.label_smoothing = 0.1;
    TransformerTranslator model = exact_transformer(smooth, 3);
    model.train();
    const Seq2SeqBatch batch = make_batch(kTransformerSources, kTransformerTargets);
    CheckOptions options;
    options.second_order = false;
    const GradReport report = check([&](const Vars&) { return Vars{model.loss(batch).mean}; },
                                    model.parameters(), options);
    INFO(kind << "\n" << report.text());
    CHECK(report.ok());
  }
}

TEST_CASE("Transformer: a sentence's loss does not depend on its neighbours or the padding") {
  for (const auto& [kind, chosen] : transformer_kinds()) {
    INFO(kind);
    TransformerTranslator model = exact_transformer(chosen, 5);
    const NoGrad no_grad;
    double sum = 0;
    int64_t tokens = 0;
    for (size_t i = 0; i < kTransformerSources.size(); ++i) {
      const auto alone = model.loss(make_batch({kTransformerSources[i]}, {kTransformerTargets[i]}));
      sum += alone.mean.item() * static_cast<double>(alone.tokens);
      tokens += alone.tokens;
    }
    const auto together = model.loss(make_batch(kTransformerSources, kTransformerTargets));
    CHECK(together.tokens == tokens);
    CHECK(together.mean.item() == Approx(sum / static_cast<double>(tokens)).epsilon(1e-12));
  }
}

TEST_CASE("Transformer: a batch translates to what its members translate to alone") {
  for (const auto& [kind, chosen] : transformer_kinds()) {
    INFO(kind);
    TransformerTranslator model = exact_transformer(chosen, 6);
    for (const int64_t beam : {1, 3}) {
      const SearchOptions options{.beam = beam, .max_length = 7, .n_best = beam};
      const auto together = model.translate(kTransformerSources, options);
      for (size_t i = 0; i < kTransformerSources.size(); ++i) {
        const auto alone = model.translate({kTransformerSources[i]}, options)[0];
        REQUIRE(alone.size() == together[i].size());
        for (size_t k = 0; k < alone.size(); ++k) {
          CHECK(alone[k].ids == together[i][k].ids);
          CHECK(alone[k].log_prob == Approx(together[i][k].log_prob).epsilon(1e-10));
          REQUIRE(alone[k].weights.size() == alone[k].ids.size());
          for (size_t t = 0; t < alone[k].weights.size(); ++t)
            for (size_t j = 0; j < alone[k].weights[t].size(); ++j)
              CHECK(alone[k].weights[t][j] == Approx(together[i][k].weights[t][j]).margin(1e-10));
        }
      }
    }
  }
}

TEST_CASE("Transformer: each log probability of the search is the loss of the same answer") {
  for (const auto& [kind, chosen] : transformer_kinds()) {
    INFO(kind);
    TransformerTranslator model = exact_transformer(chosen, 7);
    model.output.bias.value().narrow(0, Vocabulary::kEos, 1).fill_(3);  // ends sooner
    const NoGrad no_grad;
    size_t ended = 0;
    for (const auto& source : kTransformerSources) {
      const auto all = model.translate({source}, {.beam = 4, .max_length = 20, .n_best = 4});
      for (const Hypothesis& found : all[0]) {
        if (!found.finished) continue;
        ++ended;
        const Seq2SeqBatch batch = make_batch({source}, {found.ids});
        const auto loss = model.loss(batch);
        CHECK(-loss.mean.item() * static_cast<double>(loss.tokens) ==
              Approx(found.log_prob).epsilon(1e-9));
        const Tensor weights = model.attention(batch);  // the maps of the search are the answer's
        for (size_t t = 0; t < found.weights.size(); ++t)
          for (size_t j = 0; j < found.weights[t].size(); ++j)
            CHECK(weights.at({0, static_cast<int64_t>(t), static_cast<int64_t>(j)}) ==
                  Approx(found.weights[t][j]).margin(1e-9));
      }
    }
    CHECK(ended >= 6);
  }
}

TEST_CASE("Transformer: the mask audit finds no leak", "[audit]") {
  for (const auto& [kind, chosen] : transformer_kinds()) {
    TransformerTranslator model = exact_transformer(chosen, 8);
    const std::vector<int64_t> source{5, 3}, target{4, 2};
    const Seq2SeqBatch batch = make_batch({{4, 5, 6, 7, 8}, {4, 5, 6}}, {{4, 5, 6}, {7}});
    Generator g(9);
    const AuditReport report =
        audit_mask([&](const std::vector<Var>& in) { return model.logits(in[0], in[1], batch); },
                   {{"source", uniform({2, 5, 4}, -1, 1, kFloat64, g), source},
                    {"target", uniform({2, 4, 4}, -1, 1, kFloat64, g), target, true}},
                   target);
    INFO(kind << "\n" << report.text());
    CHECK(report.passed());
    CHECK(report.derivatives == 6);
  }
}

TEST_CASE("Transformer: tokens enter as scaled embeddings and positions") {
  TransformerTranslatorOptions chosen = transformer_options();
  chosen.source_vocabulary = 4000;
  chosen.norm_first = true;
  TransformerTranslator model = exact_transformer(chosen, 2);
  // Variance 1/d_model before scaling, and padding is 0.
  const Tensor table = model.source_embedding->weight.value();
  double squares = 0;
  for (const double x : table.to_vector<double>()) squares += x * x;
  CHECK(squares / static_cast<double>(table.numel()) == Approx(0.25).epsilon(0.05));
  for (const double x : table.select(0, 0).to_vector<double>()) CHECK(x == 0);
  // Layers of zeros pass their input on, which the last norm sees: 2·e + PE.
  for (const auto& [name, p] : model.transformer.decoder.named_parameters())
    if (name.starts_with("layers")) p.value().fill_(0);
  Generator g(3);
  const Var e(uniform({1, 3, 4}, -1, 1, kFloat64, g));
  const Var x = e * 2.0 + Var(sinusoidal_positions(3, 4, kFloat64));
  const Var expected = model.output(layer_norm(x, {4}));
  const Var source(Tensor::ones({1, 2, 4}, kFloat64));
  const Seq2SeqBatch batch = make_batch({{4, 5}}, {{4, 5}});
  const std::vector<double> found = model.logits(source, e, batch).value().to_vector<double>();
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(expected.value().to_vector<double>()[i]));
}

TEST_CASE("Transformer: tied weights are one parameter and survive saving") {
  TransformerTranslatorOptions chosen = transformer_options();
  TransformerTranslator untied(chosen, 3);
  chosen.tied = true;
  TransformerTranslator tied(chosen, 3), other(chosen, 4);
  CHECK(tied.num_parameters() == untied.num_parameters() - 8 * 4);
  other.load_state_dict(tied.state_dict());
  other.target_embedding.weight.value().narrow(0, 4, 1).fill_(3);
  CHECK(other.output.weight.value().at({4, 2}) == 3);
}

TEST_CASE("Transformer: translating in training mode is an error, nothing to translate is not") {
  TransformerTranslator model(transformer_options(), 8);
  CHECK_THROWS_AS(model.translate(kTransformerSources, {}), Error);
  model.eval();
  CHECK(model.translate({}, {}).empty());
  CHECK(model.translate({{}}, {.max_length = 3}).size() == 1);  // an empty sentence
}

TEST_CASE("Transformer learns to reverse short strings") {
  for (const bool norm_first : {false, true}) {
    TransformerTranslator model({.source_vocabulary = 9,
                                 .target_vocabulary = 9,
                                 .d_model = 32,
                                 .ffn = 64,
                                 .heads = 2,
                                 .layers = 1,
                                 .decoder_layers = 1,
                                 .dropout = 0,
                                 .norm_first = norm_first},
                                1);
    Generator generator(2);
    const auto sentences = [&](int64_t n) {
      TargetRows rows;
      for (int64_t i = 0; i < n; ++i) {
        rows.emplace_back();
        const int64_t length = 1 + generator.draw_int(5);
        for (int64_t k = 0; k < length; ++k) rows.back().push_back(4 + generator.draw_int(5));
      }
      return rows;
    };
    const auto reversed = [](TargetRows rows) {
      for (auto& row : rows) std::reverse(row.begin(), row.end());
      return rows;
    };
    Adam adam(model.parameters(), {.lr = 5e-3, .betas = {0.9, 0.98}, .eps = 1e-9});
    for (int step = 0; step < 500; ++step) {
      const TargetRows sources = sentences(32);
      model.zero_grad();
      model.loss(make_batch({sources.begin(), sources.end()}, reversed(sources))).mean.backward();
      clip_grad_norm_(model.parameters(), 1.0);
      adam.set_lr(5e-3 * (1 - step / 500.0));  // else the last steps decide by chance
      adam.step();
    }
    model.eval();
    const TargetRows sources = sentences(100), expected = reversed(sources);
    const auto found = model.translate({sources.begin(), sources.end()}, {.max_length = 10});
    int right = 0;
    for (size_t i = 0; i < sources.size(); ++i) right += found[i][0].ids == expected[i];
    INFO("norm first: " << norm_first);
    CHECK(right >= 95);
  }
}

TEST_CASE("TransformerTranslatorOptions survive JSON, and damage is named") {
  TransformerTranslatorOptions options = transformer_options();
  options.norm_first = options.tied = true;
  options.label_smoothing = 0.1;
  const nlohmann::json json = to_json(options);
  CHECK(to_json(transformer_options(json)) == json);
  nlohmann::json missing = json, unknown = json, wrong = json;
  missing.erase("ffn");
  unknown["fnn"] = 3;
  wrong["heads"] = 3;
  CHECK_THROWS_WITH(transformer_options(missing), ContainsSubstring("ffn"));
  CHECK_THROWS_WITH(transformer_options(unknown), ContainsSubstring("fnn"));
  CHECK_THROWS_WITH(transformer_options(wrong),
                    ContainsSubstring("d_model must be a multiple of heads: 4 and 3"));
}
