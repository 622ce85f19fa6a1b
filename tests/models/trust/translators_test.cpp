#include "models/trust/translators.h"

#include <cmath>

#include "models/image/formats.h"
#include "models/seq2seq/seq2seq.h"
#include "models/transformer/translator.h"
#include "models/trust/verdict.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/models/trust/pictures.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("captioners answer the lens as if their picture had been painted over", "[trust]") {
  constexpr int64_t kSide = 7;  // 3 × 3 cells
  const Scratch folder;
  const std::string path = folder / "p.png";
  write_png(path, noise(kSide, 1));
  const TextCodec codec = codec_of(kSide, {{path, "a red dot"}});
  const PictureEncoderOptions eye{.channels = 4, .stages = 1};
  Seq2SeqOptions plain{.source_vocabulary = 4,
                       .target_vocabulary = codec.target.size(),
                       .embedding = 4,
                       .hidden = 6,
                       .attention = {.size = 3}};
  plain.picture = eye;
  Seq2SeqOptions sentinel = plain;
  sentinel.place = AttentionPlace::after;
  sentinel.sentinel = true;
  std::vector<std::unique_ptr<Translator>> models;
  for (const Seq2SeqOptions& o : {plain, sentinel})
    models.push_back(std::make_unique<Seq2Seq>(o, 3));
  models.push_back(std::make_unique<TransformerTranslator>(
      TransformerTranslatorOptions{.source_vocabulary = 4,
                                   .target_vocabulary = codec.target.size(),
                                   .d_model = 4,
                                   .ffn = 6,
                                   .heads = 2,
                                   .layers = 1,
                                   .decoder_layers = 1,
                                   .picture = eye},
      3));
  for (const auto& model : models) {
    model->to(kFloat64);
    model->eval();
    const AttentionRecording r = record_attention(*model, codec, path, "a red dot", 1);
    Translation answer;
    answer.text = "a <unk> dot";
    answer.tokens = {"a", "<unk>", "dot"};
    CHECK(record_attention(*model, codec, path, answer).target == answer.tokens);
    const LayerAttention& layer = r.layer("");
    const TrustQuestion q = trust_question(*model, codec, r, layer, -1);
    const TrustReport found = examine(q);
    CHECK(found.columns == 3);
    REQUIRE(found.source.size() == 9);
    CHECK(found.source[5] == "row 2, column 3");
    REQUIRE(found.tokens.size() == 3);
    Seq2SeqBatch batch = make_batch({codec.encode_source(path)}, {q.ids});
    const Tensor whole = batch.source.to(kFloat64);
    const auto logits = [&](const Tensor& picture) {
      const NoGrad quiet;
      batch.source = picture;
      const auto [source, target] = model->embed(batch);
      return model->logits(source, target, batch).value();
    };
    const Tensor before = log_softmax(logits(whole), -1);
    double mean[3] = {};
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t i = 0; i < kSide * kSide; ++i)
        mean[c] += whole.at({0, c, i / kSide, i % kSide}) / (kSide * kSide);
    for (int64_t s = 0; s < 9; ++s) {
      const Tensor covered = whole.clone();
      double squares[3] = {}, products[3] = {};
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t y = 0; y < kSide; ++y)
          for (int64_t x = 0; x < kSide; ++x) {
            if (y * 3 / kSide != s / 3 || x * 3 / kSide != s % 3) continue;
            covered.narrow(1, c, 1).narrow(2, y, 1).narrow(3, x, 1).fill_(mean[c]);
            constexpr double kStep = 1e-5;
            const double old = whole.at({0, c, y, x});
            const Tensor pixel = whole.narrow(1, c, 1).narrow(2, y, 1).narrow(3, x, 1);
            pixel.fill_(old + kStep);
            const Tensor up = logits(whole).clone();
            pixel.fill_(old - kStep);
            const Tensor down = logits(whole);
            pixel.fill_(old);
            for (size_t t = 0; t < 3; ++t) {
              const auto row = static_cast<int64_t>(t);
              const double g =
                  (up.at({0, row, q.ids[t]}) - down.at({0, row, q.ids[t]})) / (2 * kStep);
              squares[t] += g * g;
              products[t] += g * (old - mean[c]);
            }
          }
      const Tensor after = log_softmax(logits(covered), -1);
      for (size_t t = 0; t < 3; ++t) {
        const TokenTrust& token = found.tokens[t];
        const auto row = static_cast<int64_t>(t), at = s;
        const double effect = before.at({0, row, q.ids[t]}) - after.at({0, row, q.ids[t]});
        CHECK(token.erasure[static_cast<size_t>(at)] == Approx(effect).margin(1e-12));
        CHECK(token.gradient[static_cast<size_t>(at)] ==
              Approx(std::sqrt(squares[t])).epsilon(1e-5).margin(1e-9));
        CHECK(token.input_gradient[static_cast<size_t>(at)] ==
              Approx(products[t]).epsilon(1e-5).margin(1e-8));
      }
    }
    for (const TokenTrust& token : found.tokens) CHECK(token.shuffled_distance);
    const PictureAttention sheet = trust_look(found, {});
    REQUIRE(sheet.maps.size() == 4);
    CHECK(sheet.map_names.size() == 4);
    CHECK(sheet.maps[0][1].shape() == Shape{3, 3});
    CHECK(sheet.maps[0][1].at({1, 2}) == q.weights[1][5]);
  }
}
