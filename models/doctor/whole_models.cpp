#include "models/doctor/whole_models.h"

#include <algorithm>

#include "models/classifier/classifier.h"
#include "models/seq2seq/seq2seq.h"
#include "models/transformer/translator.h"

namespace glass {
namespace {

Seq2SeqOptions small_seq2seq() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 8,
          .embedding = 4,
          .hidden = 4,
          .attention = {.size = 6, .window = 2},
          .dropout = 0};
}

void add(std::vector<WholeModel>& all, const std::string& name,
         const std::function<void(Seq2SeqOptions&)>& change) {
  Seq2SeqOptions options = small_seq2seq();
  change(options);
  all.push_back({"seq2seq, " + name, [options] { return std::make_unique<Seq2Seq>(options, 3); }});
}

void add_captioner(std::vector<WholeModel>& all, const std::string& name,
                   const std::function<void(Seq2SeqOptions&)>& change) {
  Seq2SeqOptions options = small_seq2seq();
  options.source_vocabulary = 4;
  options.picture = PictureEncoderOptions{.channels = 4, .stages = 1};
  change(options);
  all.push_back(
      {"captioner, " + name, [options] { return std::make_unique<Seq2Seq>(options, 3); }, true});
}

void add_transformer(std::vector<WholeModel>& all, const std::string& name,
                     const std::function<void(TransformerTranslatorOptions&)>& change) {
  TransformerTranslatorOptions options{.source_vocabulary = 9,
                                       .target_vocabulary = 8,
                                       .d_model = 4,
                                       .ffn = 6,
                                       .heads = 2,
                                       .layers = 1,
                                       .decoder_layers = 1,
                                       .dropout = 0};
  change(options);
  all.push_back({"transformer, " + name,
                 [options] { return std::make_unique<TransformerTranslator>(options, 3); }});
}

std::vector<Source> two_pictures() {
  constexpr int64_t kSide = 4;
  std::vector<Source> all;
  for (size_t i = 0; i < 3; ++i) {
    Image image(kSide, kSide, 0);
    for (size_t k = 0; k < image.rgb.size(); ++k)
      image.rgb[k] = static_cast<uint8_t>((k * k * 31 + i * 97 + k * 7) % 256);
    all.emplace_back(image);
  }
  return all;
}

void add_classifier(std::vector<WholeModel>& all, const std::string& encoder, int64_t hops) {
  const ClassifierOptions options{.source_vocabulary = 9,
                                  .target_vocabulary = 8,
                                  .encoder = encoder,
                                  .embedding = 4,
                                  .hidden = 4,
                                  .heads = 2,
                                  .attention_size = 3,
                                  .hops = hops,
                                  .penalty = 0.5,
                                  .dropout = 0};
  all.push_back(
      {"classifier, " + encoder, [options] { return std::make_unique<Classifier>(options, 3); }});
}

}  // namespace

std::vector<WholeModel> whole_models() {
  std::vector<WholeModel> all;
  add(all, "no attention", [](auto& o) { o.place = AttentionPlace::none; });
  for (const char* score :
       {"additive", "dot", "scaled-dot", "general", "concat", "cosine", "location"})
    for (const AttentionPlace place : {AttentionPlace::before, AttentionPlace::after})
      add(all, std::string(score) + (place == AttentionPlace::before ? ", before" : ", after"),
          [&](auto& o) {
            o.attention.score = score;
            o.place = place;
          });
  for (const char* scope : {"local-m", "local-p", "laplace", "gaussian", "linear"})
    add(all, scope, [&](auto& o) { o.attention.scope = scope; });
  for (const char* normalizer : {"monotonic", "mocha"})
    add(all, normalizer, [&](auto& o) { o.attention.normalizer = normalizer; });
  for (const char* dialect : {"authors", "popular"})
    add(all, std::string("concat, ") + dialect, [&](auto& o) {
      o.attention.score = "concat";
      o.attention.dialect = dialect;
    });
  add(all, "two heads", [](auto& o) { o.attention.heads = 2; });
  add(all, "coverage, tied", [](auto& o) { o.attention.coverage = o.tied = true; });
  add(all, "no input feeding", [](auto& o) {
    o.place = AttentionPlace::after;
    o.input_feeding = false;
  });
  add(all, "gru, two layers", [](auto& o) {
    o.cell = CellKind::gru;
    o.layers = o.decoder_layers = 2;
  });
  add(all, "rnn, one-way", [](auto& o) {
    o.cell = CellKind::rnn;
    o.bidirectional = false;
  });
  add(all, "convolutional", [](auto& o) {
    o.convolutional = true;
    o.layers = 2;
  });
  add(all, "dropout, smoothed", [](auto& o) {
    o.dropout = 0.2;
    o.label_smoothing = 0.1;
  });
  add_transformer(all, "norm last", [](auto&) {});
  add_transformer(all, "norm first", [](auto& o) { o.norm_first = true; });
  add_transformer(all, "tied, dropout, smoothed", [](auto& o) {
    o.tied = true;
    o.dropout = 0.2;
    o.label_smoothing = 0.1;
  });
  add_captioner(all, "additive", [](auto&) {});
  add_captioner(all, "gate, heads", [](auto& o) {
    o.attention.gate = "vector";
    o.attention.heads = 2;
  });
  add_captioner(all, "doubly stochastic", [](auto& o) { o.doubly.weight = 1; });
  add_captioner(all, "sentinel", [](auto& o) {
    o.place = AttentionPlace::after;
    o.sentinel = true;
  });
  add_classifier(all, "recurrent", 1);
  add_classifier(all, "transformer", 2);
  return all;
}

GradReport check_model(const WholeModel& kind) {
  const std::vector<Source> sources = {{4, 5, 6}, {7}, {8, 4, 4, 5, 6}};
  const std::vector<std::vector<int64_t>> targets = {{4, 5}, {6, 7, 7}, {4}};
  const std::unique_ptr<Translator> model = kind.make();
  model->to(kFloat64);
  const Seq2SeqBatch batch = make_batch(kind.reads_pictures ? two_pictures() : sources, targets);
  CheckOptions options;
  options.name = kind.name;
  options.second_order = false;
  Vars parameters;
  for (const auto& [name, p] : model->named_parameters()) {
    const auto is_this = [&p = p](const Var& q) { return q.node().get() == p.node().get(); };
    if (std::any_of(parameters.begin(), parameters.end(), is_this)) continue;  // tied
    parameters.push_back(p);
    options.input_names.push_back(name);
  }
  return check(
      [&](const Vars&) {
        model->generator() = Generator(4);
        return Vars{model->loss(batch).mean};
      },
      parameters, options);
}

}  // namespace glass
