// Models that read pictures: both kinds of decoder, every attention that fits a map.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.h"
#include "models/captioner/overlap.h"
#include "models/data/shapes.h"
#include "models/seq2seq/seq2seq.h"
#include "models/text/vocabulary.h"
#include "models/transformer/translator.h"
#include "optim/adam.h"
#include "tests/catch.h"

using namespace glass;

namespace {

const PictureEncoderOptions kEncoder{.channels = 4, .stages = 1};

Seq2SeqOptions small_captioner(const std::function<void(Seq2SeqOptions&)>& change = {}) {
  Seq2SeqOptions o{.source_vocabulary = 4,
                   .target_vocabulary = 8,
                   .embedding = 4,
                   .hidden = 6,
                   .attention = {.size = 3},
                   .dropout = 0};
  o.picture = kEncoder;
  if (change) change(o);
  return o;
}

void after(Seq2SeqOptions& o) { o.place = AttentionPlace::after; }

std::vector<std::pair<std::string, Seq2SeqOptions>> captioner_kinds() {
  std::vector<std::pair<std::string, Seq2SeqOptions>> all;
  const auto add = [&](const std::string& name, auto change) {
    all.emplace_back(name, small_captioner(change));
  };
  add("additive", [](Seq2SeqOptions&) {});
  add("no attention", [](Seq2SeqOptions& o) { o.place = AttentionPlace::none; });
  for (const char* score : {"dot", "scaled-dot", "general", "concat", "cosine", "location"})
    add(score, [&](Seq2SeqOptions& o) {
      o.attention.score = score;
      o.attention.size = 8;
    });
  for (const char* gate : {"scalar", "vector"})
    add(std::string("gate ") + gate, [&](Seq2SeqOptions& o) { o.attention.gate = gate; });
  add("gate, heads", [&](Seq2SeqOptions& o) {
    o.attention.gate = "vector";
    o.attention.heads = 2;
  });
  for (const char* target : {"one", "share"})
    for (const char* reduction : {"paper", "authors", "popular"})
      add(std::string("doubly stochastic, ") + target + ", " + reduction, [&](Seq2SeqOptions& o) {
        o.doubly = {0.7, target, reduction};
      });
  add("sentinel", [](Seq2SeqOptions& o) { after(o), o.sentinel = true; });
  add("sentinel, dot, no feeding, doubly", [](Seq2SeqOptions& o) {
    after(o), o.sentinel = true, o.input_feeding = false;
    o.attention.score = "scaled-dot";
    o.doubly.weight = 1;
  });
  add("sentinel, heads, two layers", [](Seq2SeqOptions& o) {
    after(o), o.sentinel = true, o.decoder_layers = 2, o.attention.heads = 2;
  });
  add("coverage, tied", [](Seq2SeqOptions& o) { o.attention.coverage = o.tied = true; });
  return all;
}

TransformerTranslatorOptions small_transformer(int64_t layers) {
  return {.source_vocabulary = 4,
          .target_vocabulary = 8,
          .d_model = 4,
          .ffn = 6,
          .heads = 2,
          .layers = layers,
          .decoder_layers = 2,
          .dropout = 0,
          .picture = kEncoder};
}

const std::vector<std::vector<int64_t>> kCaptionTargets = {{4, 5}, {6, 7, 7}};

std::vector<Source> pictures(size_t count = 2, int64_t height = 4, int64_t width = 4) {
  std::vector<Source> all;
  for (size_t i = 0; i < count; ++i) {
    Image image(height, width, 0);
    for (size_t k = 0; k < image.rgb.size(); ++k)
      image.rgb[k] = static_cast<uint8_t>((k * k * 31 + i * 97 + k * 7) % 256);
    all.emplace_back(image);
  }
  return all;
}

std::unique_ptr<Translator> exact_captions(std::unique_ptr<Translator> model) {
  model->to(kFloat64);
  return model;
}

std::vector<std::pair<std::string, std::unique_ptr<Translator>>> models(uint64_t seed) {
  std::vector<std::pair<std::string, std::unique_ptr<Translator>>> all;
  for (const auto& [name, options] : captioner_kinds())
    all.emplace_back(name, exact_captions(std::make_unique<Seq2Seq>(options, seed)));
  for (const int64_t layers : {0, 1})
    all.emplace_back(
        "transformer, encoder layers " + std::to_string(layers),
        exact_captions(std::make_unique<TransformerTranslator>(small_transformer(layers), seed)));
  return all;
}

}  // namespace

TEST_CASE("Captioner: every parameter's gradient agrees with finite differences", "[captions]") {
  for (const auto& [kind, model] : models(3)) {
    const Seq2SeqBatch batch = make_batch(pictures(), kCaptionTargets);
    CheckOptions options;
    options.second_order = false;
    for (const auto& [name, p] : model->named_parameters()) options.input_names.push_back(name);
    const GradReport report =
        check([&, &m = *model](const Vars&) { return Vars{m.loss(batch).mean}; },
              model->parameters(), options);
    INFO(kind << "\n" << report.text());
    CHECK(report.ok());
  }
}

TEST_CASE("Captioner: hard attention gives every estimator's gradient", "[captions]") {
  for (const char* normalizer : {"hard", "hard-straight-through", "hard-gumbel"})
    for (const bool sentinel : {false, true}) {
      const auto options = small_captioner([&](Seq2SeqOptions& o) {
        o.attention.normalizer = normalizer;
        if (sentinel) after(o), o.sentinel = true;
      });
      Seq2Seq model(options, 3);
      CHECK(model.baseline.defined() == (std::string(normalizer) == "hard"));
      model.loss(make_batch(pictures(), kCaptionTargets)).mean.backward();
      INFO(normalizer);
      for (const auto& [name, p] : model.named_parameters()) {
        INFO(name);
        CHECK(p.grad().defined());
      }
      model.eval();
      const Tensor weights = model.attention(make_batch(pictures(), kCaptionTargets));
      for (const float w : weights.to_vector<float>()) CHECK((w == 0 || w == 1));
    }
}

TEST_CASE("Captioner: a picture's caption does not depend on its neighbours", "[captions]") {
  for (const auto& [kind, model] : models(5)) {
    model->eval();
    INFO(kind);
    const NoGrad no_grad;
    const std::vector<Source> all = pictures();
    double sum = 0;
    for (size_t i = 0; i < 2; ++i) {
      const auto alone = model->loss(make_batch({all[i]}, {kCaptionTargets[i]}));
      sum += alone.mean.item() * static_cast<double>(alone.tokens);
    }
    const auto together = model->loss(make_batch(all, kCaptionTargets));
    CHECK(together.mean.item() == Approx(sum / 7).epsilon(1e-12));
    const SearchOptions search{.beam = 3, .max_length = 6, .n_best = 2};
    const auto found = model->translate(all, search);
    for (size_t i = 0; i < 2; ++i) {
      const auto alone = model->translate({all[i]}, search)[0];
      REQUIRE(alone.size() == found[i].size());
      for (size_t k = 0; k < alone.size(); ++k) CHECK(alone[k].ids == found[i][k].ids);
    }
    if (!model->attends()) continue;
    const Tensor weights = model->attention(make_batch(all, kCaptionTargets));
    CHECK(weights.shape() == Shape{2, 4, 4});  // T with eos, 2 × 2 cells
    for (const Hypothesis& h : found[0])
      for (const auto& row : h.weights) CHECK(row.size() == 4);
  }
}

TEST_CASE("Captioner: permuted cells permute the weights", "[captions]") {
  for (const auto& [kind, model] : models(7)) {
    if (!model->attends() || kind == "location") continue;
    model->eval();
    INFO(kind);
    const NoGrad no_grad;
    const Seq2SeqBatch batch = make_batch(pictures(), kCaptionTargets);
    const auto [source, target] = model->embed(batch);
    REQUIRE(source.shape()[1] == 4);
    const Tensor order = Tensor::from<int64_t>({2, 0, 3, 1});
    const Var moved = index_select(source, 1, Var(order));
    const Var same = model->logits(moved, target, batch) - model->logits(source, target, batch);
    CHECK(amax(abs(same)).item() < 1e-12);
  }
}

// Equations (8) to (13) of Lu et al. 2017, in plain numbers for one picture and one step.
TEST_CASE("The sentinel's weight is that of one more key", "[captions]") {
  Seq2Seq model(small_captioner([](Seq2SeqOptions& o) {
                  after(o), o.sentinel = true, o.attention.score = "dot", o.input_feeding = false;
                }),
                9);
  model.to(kFloat64);
  model.eval();
  const NoGrad no_grad;
  Decoder& d = model.decoder;
  const Var cells = model.encoder.embed(make_batch(pictures(1), {}).source);
  const Decoder::Memory memory = d.read(cells, mean(cells, {1}), {});
  const Decoder::State start = d.start(mean(cells, {1}));
  const Var x = d.embedding(Var(Tensor::from<int64_t>({2})));
  const Decoder::Written y = d.step(x, start, memory);
  const Var h = select(y.state.h, 0, 0), m = select(y.state.c, 0, 0);
  const Var g = sigmoid((*d.sentinel_input)(x) + (*d.sentinel_state)(select(start.h, 0, 0)));
  const Var s = g * tanh(m);
  const Var values = (*d.bridge)(cells);  // [1, S, H]
  const Var z = sum(values * unsqueeze(h, 1), {2});
  const Var z_sentinel = sum((*d.sentinel_key)(s)*h, {1}, true);
  const Var alpha = softmax(cat({z, z_sentinel}, 1), 1);
  const Var beta = narrow(alpha, 1, 4, 1);
  const Var c = sum(unsqueeze(softmax(z, 1), 2) * values, {1});
  const Var adaptive = beta * s + (1.0 - beta) * c;
  CHECK(amax(abs(y.seen[0].context - unsqueeze(adaptive, 1))).item() < 1e-12);
  CHECK(amax(abs(reshape(y.seen[0].weights.dense(), {1, 5}) - alpha)).item() < 1e-12);
  CHECK(d.places(y.seen[0]).shape() == Shape{1, 1, 1, 4});
}

TEST_CASE("The gate scales the context before the step", "[captions]") {
  for (const char* gate : {"scalar", "vector"}) {
    Seq2Seq model(small_captioner([&](Seq2SeqOptions& o) { o.attention.gate = gate; }), 9);
    model.eval();
    const NoGrad no_grad;
    Decoder& d = model.decoder;
    const Var cells = model.encoder.embed(make_batch(pictures(1), {}).source);
    const Decoder::Memory memory = d.read(cells, mean(cells, {1}), {});
    d.attention->after->weight.value().zero_();
    d.attention->after->bias.value().fill_(std::log(3));  // σ = 0.75
    const Decoder::Written y =
        d.step(d.embedding(Var(Tensor::from<int64_t>({2}))), d.start(mean(cells, {1})), memory);
    CHECK(y.seen[0].gate.shape() == Shape{1, 1, std::string(gate) == "scalar" ? 1 : 4});
    CHECK(amax(abs(y.seen[0].gate - 0.75)).item() < 1e-6);
    CHECK(amax(abs(y.seen[0].output - 0.75 * y.seen[0].context)).item() < 1e-6);
  }
}

TEST_CASE("Doubly stochastic attention counts real words and cells alone", "[captions]") {
  const auto loss = [&](double weight, const char* target,
                        const std::vector<std::vector<int64_t>>& targets) {
    Seq2Seq model(small_captioner([&](Seq2SeqOptions& o) {
                    o.doubly = {weight, target, "paper"};
                  }),
                  9);
    model.to(kFloat64);
    for (const char* name : {"decoder.attention.scorer.v"})  // uniform attention
      for (const auto& [each, p] : model.named_parameters())
        if (each == name) p.value().zero_();
    return model.loss(make_batch(pictures(), targets)).mean.item();
  };
  // 4 cells get T/4 each: Σ (1 - T/4)² is 4·(1/4)² for T = 3, 0 for T = 4; the mean of both rows.
  CHECK(loss(1, "one", kCaptionTargets) - loss(0, "one", kCaptionTargets) == Approx(0.125));
  CHECK(loss(1, "share", kCaptionTargets) - loss(0, "share", kCaptionTargets) ==
        Approx(0).margin(1e-12));
  CHECK(loss(2, "one", {{4}, {4}}) - loss(0, "one", {{4}, {4}}) == Approx(2 * 4 * 0.25));
}

TEST_CASE("What does not fit a map is refused", "[captions]") {
  const auto refused = [](auto change, const char* part) {
    CHECK_THROWS_WITH(Seq2Seq(small_captioner(change), 1),
                      Catch::Matchers::ContainsSubstring(part));
  };
  for (const char* scope : {"local-m", "local-p", "laplace"})
    refused([&](Seq2SeqOptions& o) { o.attention.scope = scope; }, "have no order");
  refused([](Seq2SeqOptions& o) { o.attention.normalizer = "monotonic"; }, "have no order");
  refused([](Seq2SeqOptions& o) { o.sentinel = true; }, "after the step of an LSTM");
  refused([](Seq2SeqOptions& o) { after(o), o.sentinel = true, o.cell = CellKind::gru; },
          "after the step of an LSTM");
  refused([](Seq2SeqOptions& o) { after(o), o.attention.gate = "scalar"; }, "before the step");
  refused([](Seq2SeqOptions& o) { o.doubly.reduction = "mean"; }, "paper, authors or popular");
  CHECK_THROWS_AS(make_batch({Source{4}, pictures(1)[0]}, {}), Error);
}

TEST_CASE("Captioner options survive JSON; runs without pictures keep their form", "[captions]") {
  const auto options = small_captioner([](Seq2SeqOptions& o) {
    after(o), o.sentinel = true, o.doubly = {0.5, "share", "authors"};
  });
  const nlohmann::json json = to_json(options);
  CHECK(to_json(seq2seq_options(json)) == json);
  nlohmann::json old = json;
  for (const char* key :
       {"picture", "sentinel", "doubly_stochastic", "doubly_target", "doubly_reduction"})
    old.erase(key);
  old["attention"].erase("gate");
  CHECK_FALSE(seq2seq_options(old).picture);
  const nlohmann::json transformer = to_json(small_transformer(0));
  CHECK(to_json(transformer_options(transformer)) == transformer);
  nlohmann::json text = transformer;
  text.erase("picture");
  CHECK_THROWS_WITH(transformer_options(text), Catch::Matchers::ContainsSubstring("layers"));
}

TEST_CASE("Captioner learns where two colours are", "[captions]") {
  // Left half one colour, right half another: "1 2" names them in that order.
  Generator g(1);
  Seq2SeqOptions options{.source_vocabulary = 4,
                         .target_vocabulary = 8,
                         .embedding = 8,
                         .hidden = 24,
                         .attention = {.size = 8},
                         .dropout = 0};
  options.picture = {.channels = 8, .stages = 1};
  Seq2Seq model(options, 1);
  const auto draw_batch = [&](int64_t n) {
    std::vector<Source> sources;
    std::vector<std::vector<int64_t>> targets;
    for (int64_t i = 0; i < n; ++i) {
      Image image(8, 8, 0);
      targets.emplace_back();
      for (int64_t half = 0; half < 2; ++half) {
        const int64_t color = g.draw_int(4);
        targets.back().push_back(4 + color);
        for (int64_t y = 0; y < 8; ++y)
          for (int64_t x = 4 * half; x < 4 * half + 4; ++x) {
            image.at(y, x)[0] = color & 1 ? 230 : 20;
            image.at(y, x)[1] = color & 2 ? 230 : 20;
          }
      }
      sources.emplace_back(image);
    }
    return std::pair(sources, targets);
  };
  Adam adam(model.parameters(), {.lr = 1e-2});
  for (int step = 0; step < 150; ++step) {
    const auto [sources, targets] = draw_batch(16);
    model.zero_grad();
    model.loss(make_batch(sources, targets)).mean.backward();
    adam.step();
  }
  model.eval();
  const auto [sources, targets] = draw_batch(50);
  const auto found = model.translate(sources, {.max_length = 5});
  int right = 0;
  for (size_t i = 0; i < 50; ++i) right += found[i][0].ids == targets[i];
  CHECK(right >= 45);
}

TEST_CASE("Scene overlaps compare with chance and with other words", "[captions]") {
  std::vector<Pair> train;
  std::vector<std::string> names;
  for (uint64_t n = 0; n < 30; ++n) {
    names.push_back(scene_name(n));
    for (const SceneCaption& c : captions(make_scene(n))) train.push_back({names.back(), c.text});
  }
  const TextCodec codec({.target = Tokens::words, .picture_size = kSceneSide}, train);
  Seq2SeqOptions options = small_captioner();
  options.target_vocabulary = codec.target.size();
  Seq2Seq model(options, 1);
  for (const auto& [each, p] : model.named_parameters())
    if (each == "decoder.attention.scorer.v") p.value().zero_();  // uniform attention
  model.eval();
  const auto found = scene_overlaps(model, codec, names, [] {});
  REQUIRE(found.size() == 3);
  CHECK(found[0].first == "attention_iou");
  CHECK(found[0].second == Approx(found[1].second).epsilon(1e-6));
  CHECK(found[2].second == Approx(found[1].second).epsilon(1e-6));
  CHECK(found[1].second > 0.01);
  CHECK(found[1].second < 0.1);
  CHECK(scene_overlaps(model, codec, {"a.png"}, [] {}).empty());
  CHECK_THROWS_AS(square_map(Tensor::zeros({8})), Error);
}
