#include "models/trust/bias.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "models/captioner/picture_encoder.h"
#include "models/image/formats.h"
#include "models/text/vocabulary.h"
#include "nn/attention/attention.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/models/trust/pictures.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// Looks at the first cell, and answers by the last: "light" where that is red, else "dark". A cell
// is a pixel.
class CornerTeller : public Translator {
 public:
  CornerTeller()
      : Translator(std::make_shared<Generator>(1)),
        eye({.channels = 1, .stages = 0}, *generator_),
        look({.query_dim = 1, .key_dim = 1, .value_dim = 1, .score = DotScore{}}, *generator_) {
    eye.stem.weight.value().fill_(0);
    eye.stem.weight.value().narrow(1, 0, 1).narrow(2, 1, 1).narrow(3, 1, 1).fill_(1);
    eye.stem_norm.bias.value().fill_(2);  // so that relu passes -1 … 1
    eval();
    to(kFloat64);
  }
  void visit(Visitor& v) override {
    v("eye", eye);
    v("look", look);
  }
  Loss loss(const Seq2SeqBatch&, int64_t) override { return {}; }
  double attention_multiply_adds(int64_t, int64_t) const override { return 0; }
  Tensor attention(const Seq2SeqBatch& batch) override {
    const auto [source, target] = embed(batch);
    return seen(source, target.size(1)).weights.dense().value().select(1, 0);
  }
  std::array<Var, 2> embed(const Seq2SeqBatch& batch) override {
    return {eye(batch.source),
            Var(Tensor::zeros({batch.source.size(0), batch.target_in.size(1), 1}, kFloat64))};
  }
  Var logits(const Var& source, const Var& target, const Seq2SeqBatch&) override {
    const int64_t B = source.size(0), T = target.size(1);
    const Var light =
        (narrow(source, 1, source.size(1) - 1, 1) - 2.0) * 2.0 + seen(source, 1).output * 0.0;
    const Var never(Tensor::full({B, 1, 4}, -100, kFloat64));
    const Var label = cat({never, light * -0.5, light * 0.5}, 2);
    const Tensor end = Tensor::zeros({B, T - 1, 6}, kFloat64);
    end.narrow(2, Vocabulary::kEos, 1).fill_(100);
    return T > 1 ? cat({label, Var(end)}, 1) : label;
  }
  PictureEncoder* picture_encoder() override { return &eye; }
  int64_t picture_cells(int64_t side) const override { return side * side; }

  PictureEncoder eye;
  Attention look;

 protected:
  struct Steps : StepModel {
    Tensor answers;  // [N, 2, V]
    int64_t written = 0;
    Step step(const Tensor&) override { return {answers.select(1, written++).contiguous(), {}}; }
    void reorder(const Tensor& rows) override { answers = index_select(answers, 0, rows); }
  };
  std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) override {
    auto steps = std::make_unique<Steps>();
    const Var source = eye(batch.source);
    const Var two(Tensor::zeros({source.size(0), 2, 1}, kFloat64));
    steps->answers = log_softmax(logits(source, two, batch).value(), -1);
    return steps;
  }

 private:
  AttentionOutput seen(const Var& source, int64_t T) {
    const Tensor keys = Tensor::zeros({source.size(0), source.size(1), 1}, kFloat64);
    keys.narrow(1, 0, 1).fill_(50);
    const Var query(Tensor::ones({source.size(0), T, 1}, kFloat64));
    return look(query, look.prepare(Var(keys), {}, source));
  }
};

// Says nothing of the first pictures.
class LateTeller : public CornerTeller {
 public:
  explicit LateTeller(int64_t silent) : silent_(silent) {}

 protected:
  std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) override {
    auto steps = CornerTeller::start(batch);
    if (silent_-- > 0) static_cast<Steps&>(*steps).answers.narrow(2, Vocabulary::kEos, 1).fill_(50);
    return steps;
  }

 private:
  int64_t silent_;
};

}  // namespace

TEST_CASE("the corner that answers hang on is on top, wherever the attention looks",
          "[trust][bias]") {
  const Scratch folder;
  std::vector<References> data;
  for (int i = 0; i < 12; ++i) {
    Image image = noise(4, i, 100);
    const bool light = i % 2 == 0;
    for (int c = 0; c < 3; ++c) image.at(3, 3)[c] = light ? 255 : 0;
    const std::string path = folder / ("p" + std::to_string(i) + ".png");
    write_png(path, image);
    const bool right = i >= 5;  // of 0 … 4 three are light
    data.push_back({path, {light == right ? "light" : "dark"}});
  }
  const TextCodec codec = codec_of(4, {{data[0].source, "dark"}, {data[1].source, "light"}});
  CornerTeller model;
  const BiasReport report = bias_report(model, codec, data);
  CHECK(report.texts == 12);
  CHECK(report.wrong == 5);
  CHECK(report.columns == 4);
  REQUIRE(report.rows.size() == 16);
  CHECK(report.rows[0].word == "row 4, column 4");
  CHECK(report.rows[0].occurrence == 1.0 / 16);
  CHECK(report.rows[0].effect == Approx(1));
  CHECK(report.rows[0].gradient == Approx(1));
  CHECK(report.rows[0].attention == Approx(0).margin(1e-12));
  for (const BiasRow& row : report.rows)
    CHECK(row.attention == Approx(row.word == "row 1, column 1" ? 1 : 0).margin(1e-12));
  REQUIRE(report.wrongs.size() == 2);
  for (const WrongAnswers& each : report.wrongs) {
    const int64_t times = each.answer == "light" ? 3 : 2;
    CHECK(each.word == "row 4, column 4");
    CHECK(each.count == times);
    CHECK(each.by_erasure == times);
    CHECK(each.by_gradient == times);
    CHECK(each.by_input_gradient == times);
  }
  CHECK(report.wrongs[0].answer == "light");
  CHECK(report.answer_words.empty());  // one word each
  const auto maps = bias_maps(report, "");
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].weights[0][0] == Approx(1));
  CHECK(maps[2].weights[3][3] == Approx(1));
  CHECK(maps[2].weights[0][0] == Approx(0).margin(1e-12));
  const auto tables = bias_tables(report, "", 3);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].title == "Regions out of proportion");
  CHECK_THAT(tables[0].about,
             ContainsSubstring("Over 12 pictures, of which 5 were answered wrong"));
  CHECK(tables[0].rows.size() == 3);
  CHECK(tables[0].rows[0][0] == "row 4, column 4");
  CHECK(tables[0].rows[0][6] == "16.0");
  CHECK(to_json(report)["cells"][0]["word"] == "row 4, column 4");
}

TEST_CASE("an empty answer is an answer, though there is nothing to explain", "[trust][bias]") {
  const Scratch folder;
  std::vector<References> data;
  for (int i = 0; i < 6; ++i) {
    const std::string path = folder / ("p" + std::to_string(i) + ".png");
    Image image = noise(4, i, 100);
    for (int c = 0; c < 3; ++c) image.at(3, 3)[c] = i % 2 == 0 ? 255 : 0;
    write_png(path, image);
    data.push_back({path, {i % 2 == 0 ? "light" : "dark"}});
  }
  const TextCodec codec = codec_of(4, {{data[0].source, "light"}, {data[1].source, "dark"}});
  CornerTeller teller;
  LateTeller late(2);  // silent of the first light one and the first dark one
  const BiasReport all = bias_report(teller, codec, data), fewer = bias_report(late, codec, data);
  CHECK(all.empty == 0);
  CHECK(fewer.empty == 2);
  CHECK(fewer.texts == 6);
  CHECK(all.wrong == 0);
  CHECK(fewer.wrong == 2);
  CHECK_THAT(bias_tables(fewer, "", 3)[0].about, ContainsSubstring("(2 without a word)"));
  LateTeller mute(6);
  CHECK_THROWS_WITH(bias_report(mute, codec, data), ContainsSubstring("no text has an answer"));
}
