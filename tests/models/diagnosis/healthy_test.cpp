// Trainings in which nothing is wrong.
#include <fmt/core.h>

#include "models/diagnosis/run_diagnosis.h"
#include "models/report/label.h"
#include "models/train/run_folder.h"
#include "tests/catch.h"
#include "tests/models/train/small_run.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using namespace glass::tests;

namespace {

struct HealthyRun {
  std::string task;
  TaskOptions data;
  ModelOptions model;
  TrainOptions training;
};

// No alarm, and no reading above what the rules say of healthy runs. Returns the exact match.
double check_healthy(const HealthyRun& run) {
  const Scratch folder;
  const Corpus corpus = find_task(run.task)->corpus(run.data, 1);
  TextOptions text;
  if (const auto tokens = find_task(run.task)->tokens) text.source = text.target = *tokens;
  const TextCodec codec(text, corpus.train);
  ModelOptions options = run.model;
  std::visit(
      [&](auto& o) {
        o.source_vocabulary = codec.source.size();
        o.target_vocabulary = codec.target.size();
      },
      options);
  const auto model = make_translator(options, run.training.seed);
  Seq2SeqTask task(*model, codec, corpus);
  RunDiagnosis diagnosis(task, run.training, folder.path());
  Trainer trainer(task, task.batches(run.training), run.training, folder.path());
  trainer.watch(&diagnosis.watch());
  trainer.run([&](const Trainer& t) { diagnosis.update(t); });
  for (const Alarm& alarm : diagnosis.alarms()) UNSCOPED_INFO(alarm.text);
  CHECK(diagnosis.alarms().empty());
  fmt::print("{}: exact match {:.3f}, cost {:.2f} %\n", run.task, trainer.best().exact_match,
             100 * diagnosis.cost(trainer));
  for (size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = rules()[i];
    const Reading& reading = diagnosis.readings()[i];
    fmt::print("  {:<20} {:<10} {}\n", rule.name, number_text(reading.value), reading.where);
    INFO(rule.name << " " << reading.value << " at " << reading.where);
    CHECK(reading.value <= 1.25 * rule.healthy + 0.05 * rule.limit);
  }
  CHECK(diagnosis.cost(trainer) < 0.02);
  return trainer.best().exact_match;
}

TrainOptions steps_of(int64_t steps, double lr, int64_t valid_every) {
  return {.steps = steps, .lr = lr, .warmup = 100, .valid_every = valid_every};
}

constexpr TaskOptions kLetters{.train = 10000, .valid = 200, .test = 10};

}  // namespace

TEST_CASE("healthy: dates, additive attention", "[.slow][diagnosis]") {
  Seq2SeqOptions model;
  model.embedding = 32;
  model.hidden = model.attention.size = 64;
  CHECK(check_healthy({"dates", {.valid = 200}, model, steps_of(1000, 5e-3, 200)}) > 0.9);
}

TEST_CASE("healthy: copying, general scores after the step", "[.slow][diagnosis]") {
  Seq2SeqOptions model;
  model.embedding = 32;
  model.hidden = 64;
  model.place = AttentionPlace::after;
  model.attention.score = "general";
  CHECK(check_healthy({"copy", kLetters, model, steps_of(1000, 5e-3, 200)}) > 0.5);
}

TEST_CASE("healthy: a toy language, GRU and scaled dot products", "[.slow][diagnosis]") {
  Seq2SeqOptions model;
  model.embedding = 32;
  model.hidden = 64;
  model.cell = CellKind::gru;
  model.place = AttentionPlace::after;
  model.attention.score = "scaled-dot";
  CHECK(check_healthy({"toy-mt", kLetters, model, steps_of(1000, 5e-3, 200)}) > 0.5);
}

TEST_CASE("healthy: dates, a Transformer", "[.slow][diagnosis]") {
  const TransformerTranslatorOptions model{
      .d_model = 64, .ffn = 128, .layers = 2, .decoder_layers = 2};
  CHECK(check_healthy({"dates", {.valid = 200}, model, steps_of(1000, 2e-3, 200)}) > 0.5);
}

TEST_CASE("healthy: reversing, convolutions and four heads", "[.slow][diagnosis]") {
  Seq2SeqOptions model;
  model.embedding = 32;
  model.hidden = 64;
  model.convolutional = true;
  model.layers = 2;
  model.attention.size = 64;
  model.attention.heads = 4;
  CHECK(check_healthy({"reverse", kLetters, model, steps_of(1000, 3e-3, 200)}) > 0.5);
}

TEST_CASE("diagnosis: a watched training ends with the same bits", "[diagnosis]") {
  for (const bool transformer : {false, true}) {
    const TrainOptions options = short_options();
    const Scratch alone, watched;
    Run one(transformer), two(transformer);
    Trainer first(one, one.task.batches(options), options, alone.path());
    first.run();
    FactCollector collector(two, options, {.every = 4});
    Trainer second(two, two.task.batches(options), options, watched.path());
    second.watch(&collector);
    second.run();
    CHECK(weights(*one.net) == weights(*two.net));
    const TrainingRecord& record = collector.record();
    REQUIRE(record.looks.size() == 8);
    CHECK(record.looks.back().step == 28);
    CHECK(record.looks.back().gradients.size() == two.net->named_parameters().size());
    CHECK(record.looks.back().attention.size() == (transformer ? 3u : 1u));
    CHECK(record.looks.back().units.size() == (transformer ? 2u : 0u));
    CHECK(record.looks.back().gradient_norm > 0);
    CHECK(record.looks.back().memory.live > 0);
  }
}
