#include "models/train/trainer.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/train/progress.h"
#include "tensor/file.h"
#include "tensor/precision.h"
#include "tests/catch.h"
#include "tests/models/train/small_run.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using namespace glass::tests;

TEST_CASE("Trainer: an interrupted and resumed run ends with the same bits") {
  for (const auto& [transformer, ema] : {std::pair{false, 0.0}, {true, 0.0}, {false, 0.95}}) {
    const Scratch folder;
    TrainOptions options = short_options();
    options.ema = ema;
    make_folder(folder / "whole");
    Run whole(transformer);
    Trainer undisturbed(whole, whole.task.batches(options), options, folder / "whole");
    REQUIRE(undisturbed.run() == StopReason::steps);

    for (int64_t at : {1, 7, 10, 23}) {
      INFO("interrupted in step " << at << (transformer ? " of a Transformer" : "")
                                  << (ema > 0 ? ", averaged" : ""));
      const std::string path = folder / ("cut" + std::to_string(at));
      make_folder(path);
      Run first(transformer);
      first.interrupt_at = at;
      Trainer cut(first, first.task.batches(options), options, path);
      REQUIRE(cut.run() == StopReason::interrupted);
      CHECK(cut.step() == at);

      Run second(transformer);
      Trainer rest(second, second.task.batches(options), options, path);
      rest.resume();
      CHECK(rest.step() == at);
      REQUIRE(rest.run() == StopReason::steps);
      CHECK(weights(*second.net) == weights(*whole.net));
      CHECK(read_file(path + "/model.safetensors") ==
            read_file(folder / "whole/model.safetensors"));
      REQUIRE(rest.history().size() == undisturbed.history().size());
      for (size_t i = 0; i < rest.history().size(); ++i) {
        CHECK(rest.history()[i].train_loss == undisturbed.history()[i].train_loss);
        CHECK(rest.history()[i].valid.loss == undisturbed.history()[i].valid.loss);
      }
    }
  }
}

TEST_CASE("Trainer: the precision of products is that of its steps alone") {
  struct Watched : Run {
    std::vector<MatmulPrecision> steps, validations;
    Loss loss(const Batch& batch, int64_t step) override {
      steps.push_back(get_float32_matmul_precision());
      return Run::loss(batch, step);
    }
    Score validate() override {
      validations.push_back(get_float32_matmul_precision());
      return Run::validate();
    }
  };
  for (const std::string& wanted : matmul_precision_names()) {
    const Scratch folder;
    TrainOptions options = short_options();
    options.steps = options.valid_every = 2;
    options.matmul_precision = wanted;
    Watched run;
    Trainer trainer(run, run.task.batches(options), options, folder.path());
    REQUIRE(trainer.run() == StopReason::steps);
    CHECK(run.steps == std::vector(2, matmul_precision_named(wanted)));
    CHECK(run.validations == std::vector(1, MatmulPrecision::highest));
    CHECK(get_float32_matmul_precision() == MatmulPrecision::highest);
  }
}

TEST_CASE("Trainer: a run whose time is up leaves a model, also before its first validation") {
  const Scratch folder;
  TrainOptions options = short_options();
  Run first;
  first.interrupt_at = 1;
  Trainer cut(first, first.task.batches(options), options, folder.path());
  REQUIRE(cut.run() == StopReason::interrupted);
  CHECK_FALSE(std::filesystem::exists(folder / "model.safetensors"));
  options.max_minutes = 1e-9;
  Run second;
  Trainer late(second, second.task.batches(options), options, folder.path());
  late.resume();
  REQUIRE(late.run() == StopReason::minutes);
  CHECK(late.step() == 1);
  REQUIRE(late.history().size() == 1);
  CHECK(late.best_step() == 1);
  CHECK(std::filesystem::exists(folder / "model.safetensors"));
}

TEST_CASE("Trainer: a checkpoint that is missing, foreign or damaged is refused by name") {
  const Scratch folder;
  Run run;
  Trainer trainer(run, run.task.batches(short_options()), short_options(), folder / "");
  CHECK_THROWS_WITH(trainer.resume(),
                    Catch::Matchers::ContainsSubstring("before its first checkpoint"));
  save_safetensors(folder / "checkpoint.safetensors", run.net->state_dict());
  CHECK_THROWS_WITH(trainer.resume(), Catch::Matchers::ContainsSubstring("no checkpoint"));
  NamedTensors state = run.net->state_dict();
  state.metadata["training"] = "{\"step\": ";
  save_safetensors(folder / "checkpoint.safetensors", state);
  CHECK_THROWS_WITH(trainer.resume(), Catch::Matchers::ContainsSubstring("is not JSON"));
}

TEST_CASE("Trainer: patience ends a run that gets no better") {
  const Scratch folder;
  Run run;
  TrainOptions options = short_options();
  options.lr = 1e-12;  // learns nothing
  options.steps = 1000;
  options.valid_every = 2;
  options.patience = 3;
  Trainer trainer(run, run.task.batches(options), options, folder / "");
  CHECK(trainer.run() == StopReason::patience);
  CHECK(trainer.step() < 100);
}

TEST_CASE("Trainer: the loss of the history is the part that validation measures") {
  struct Penalised : Run {
    Loss loss(const Batch& batch, int64_t step) override {
      Loss loss = Run::loss(batch, step);
      loss.mean = loss.mean - 50.0;  // no gradient
      return loss;
    }
  };
  const Scratch folder;
  make_folder(folder / "a");
  make_folder(folder / "b");
  TrainOptions options = short_options();
  options.steps = 10;
  Run plain;
  Penalised penalised;
  Trainer one(plain, plain.task.batches(options), options, folder / "a");
  Trainer two(penalised, penalised.task.batches(options), options, folder / "b");
  one.run();
  two.run();
  REQUIRE(two.history().size() == 1);
  CHECK(two.history()[0].train_loss == one.history()[0].train_loss);
  Trainer resumed(penalised, penalised.task.batches(options), options, folder / "b");
  CHECK_NOTHROW(resumed.resume());
}

TEST_CASE("Trainer: a loss that is not finite stops with the step and a hint") {
  struct Broken : Run {
    Loss loss(const Batch&, int64_t) override { return {Var(Tensor::scalar(NAN), true), 1}; }
  } run;
  const Scratch folder;
  Trainer trainer(run, run.task.batches(short_options()), short_options(), folder / "");
  CHECK_THROWS_WITH(trainer.run(), Catch::Matchers::ContainsSubstring("not finite") &&
                                       Catch::Matchers::ContainsSubstring("step 1"));
}

TEST_CASE("schedules: warm-up, then constant, linear, cosine or inverse-sqrt") {
  TrainOptions o{.steps = 14, .warmup = 4, .schedule = "linear"};
  CHECK(schedule_factor(o, 1) == Approx(0.25));
  CHECK(schedule_factor(o, 4) == Approx(1.0));
  CHECK(schedule_factor(o, 9) == Approx(0.5));
  CHECK(schedule_factor(o, 14) == Approx(0.0).margin(1e-15));
  o.schedule = "cosine";
  CHECK(schedule_factor(o, 9) == Approx(0.5));
  CHECK(schedule_factor(o, 14) == Approx(0.0).margin(1e-15));
  o.schedule = "constant";
  CHECK(schedule_factor(o, 12) == Approx(1.0));
  o.schedule = "inverse-sqrt";
  CHECK(schedule_factor(o, 2) == Approx(0.5));
  CHECK(schedule_factor(o, 4) == Approx(1.0));
  CHECK(schedule_factor(o, 9) == Approx(2.0 / 3));
  CHECK(schedule_factor(o, 16) == Approx(0.5));
  // The paper's numbers: 512^-0.5 · min(s^-0.5, s · 4000^-1.5).
  TrainOptions paper{.lr = 1 / std::sqrt(512.0 * 4000), .warmup = 4000, .schedule = o.schedule};
  CHECK(paper.lr * schedule_factor(paper, 1000) == Approx(1.7469e-4).epsilon(1e-4));
  CHECK(paper.lr * schedule_factor(paper, 16000) == Approx(3.4939e-4).epsilon(1e-4));
  o.warmup = 0;
  CHECK(schedule_factor(o, 4) == Approx(0.5));
  o.schedule = "sine";
  CHECK_THROWS_WITH(schedule_factor(o, 9), Catch::Matchers::ContainsSubstring("sine"));
}

TEST_CASE("TrainOptions survive JSON") {
  const TrainOptions options = short_options();
  CHECK(to_json(train_options(to_json(options))) == to_json(options));
}

TEST_CASE("times read as clocks") {
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(75.9) == "1:15");
  CHECK(clock_text(3700) == "1:01:40");
  CHECK(clock_text(-1) == "0:00");
}
