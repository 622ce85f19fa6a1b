#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/model_arguments.h"
#include "models/cli/task_arguments.h"
#include "models/cli/training.h"
#include "models/cli/usage.h"
#include "models/names.h"
#include "models/train/interrupt.h"
#include "tensor/precision.h"

namespace glass {
namespace {

// What the command line can say; defaults are those of RunConfig where a task does not differ.
struct TrainArguments {
  std::string run;
  TaskArguments task;
  ModelArguments model;
  RunConfig config;
  bool resume = false;
};

// What --resume may be given anew: how long the training goes on.
const std::vector<std::string> kLengths = {"--steps", "--max-minutes", "--patience"};

// The run's own options, with those lengths that the command line has.
RunConfig resumed_config(const CLI::App& command, const TrainArguments& a) {
  RunConfig config = load_config(a.run);
  TrainOptions& t = config.training;
  const TrainOptions& given = a.config.training;
  if (command.count("--max-minutes") > 0) t.max_minutes = given.max_minutes;
  if (command.count("--patience") > 0) t.patience = given.patience;
  if (command.count("--steps") == 0 || given.steps == t.steps) return config;
  if (given.steps < t.steps)
    usage_error(text("--resume can only lengthen the run, which has --steps ", t.steps, ", got ",
                     given.steps));
  if (ends_with_steps(t.schedule))
    usage_error(text("--resume cannot lengthen this run: its ", t.schedule,
                     " schedule ends at step ", t.steps, "; start another --run with --steps ",
                     given.steps, " (constant and inverse-sqrt schedules can be lengthened)"));
  t.steps = given.steps;
  return config;
}

void check_vocabulary(const char* side, const Vocabulary& vocabulary, int64_t min_count) {
  if (vocabulary.size() == Vocabulary().size())
    fail("train", text("--min-count leaves no token of the ", side, "s but <unk>"), "no token is ",
         min_count, " times in the training data");
}

// So that a run can be resumed from any folder.
void make_absolute(std::string& path) {
  if (!path.empty()) path = std::filesystem::absolute(path).lexically_normal().string();
}

void run_training(const CLI::App& command, TrainArguments& a) {
  const InterruptGuard guard;
  if (a.run.empty()) a.run = "runs/" + a.task.task;
  if (a.resume) {
    const RunConfig config = resumed_config(command, a);
    train_run(config, load_corpus(config), a.run, Start::resume);
    return;
  }
  check_new_run(a.run, false);
  a.config.task = a.task.task;
  a.config.files = a.task.files;
  a.config.data = a.task.data;
  a.config.encoder_weights = a.model.encoder_weights;
  const Corpus corpus = load_corpus(a.config);
  a.config.codec = TextCodec(a.task.text, corpus.train);
  if (!a.config.codec.reads_pictures())
    check_vocabulary("source", a.config.codec.source, a.config.codec.options.min_count);
  check_vocabulary("target", a.config.codec.target, a.config.codec.options.min_count);
  for (std::string* path : {&a.config.files.data, &a.config.files.valid, &a.config.files.test,
                            &a.config.encoder_weights})
    make_absolute(*path);
  a.config.stamps = corpus.stamps;
  a.config.model = model_of(a.model, a.config.codec.source.size(), a.config.codec.target.size());
  const Evaluation test = train_run(a.config, corpus, a.run, Start::fresh);
  print_samples(test.translations, 3);
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto* command = app.add_subcommand("train", "Train a sequence-to-sequence model with attention");
  command->footer(
      "Tasks:\n" + task_list() +
      "\nWrites a run folder: config.json, metrics.json, model.safetensors (the best model),\n"
      "checkpoint.safetensors (to --resume from) and report.html. The checkpoint is written at\n"
      "every validation (--valid-every), at the end, and on Ctrl-C, which stops cleanly after the\n"
      "current step, says how to go on, and ends with status 130. --resume continues with the\n"
      "run's own options; only --max-minutes and --patience may be others, and --steps larger,\n"
      "unless the schedule (linear, cosine) has come to its end at the old --steps.");
  auto a = std::make_shared<TrainArguments>();
  RunConfig& c = a->config;
  command->option_defaults()->always_capture_default();
  add_task_options(*command, a->task);
  command->add_option("--run", a->run, "Run folder")
      ->transform(naming("a folder"))
      ->default_str("runs/TASK");
  command->add_flag(
      "--resume", a->resume,
      "Continue the run in --run exactly where it stopped; with a larger --steps, beyond");

  add_model_options(*command, a->model);

  const char* training = "Training";
  TrainOptions& t = c.training;
  command->add_option("--steps", t.steps, "Optimiser steps in all")
      ->transform(within(kCountRange))
      ->group(training);
  command
      ->add_option("--max-minutes", t.max_minutes,
                   "Stop cleanly after so long, with the time before a --resume; 0: no limit")
      ->transform(within(kAmountRange))
      ->group(training);
  command->add_option("--batch", t.batch_size, "Sentences per step (pictures: 32)")
      ->transform(within(kCountRange))
      ->group(training);
  command->add_option("--lr", t.lr, "Highest learning rate (Adam)")
      ->transform(within(kLearningRateRange))
      ->group(training);
  command->add_option("--warmup", t.warmup, "Steps until --lr is reached")
      ->transform(within(kCountOrNoneRange))
      ->group(training);
  command
      ->add_option("--schedule", t.schedule,
                   "After warm-up: constant, linear or cosine (to 0 at --steps), inverse-sqrt")
      ->transform(one_of(schedule_names()))
      ->group(training);
  command->add_option("--clip", t.clip, "Largest gradient norm; 0: no limit")
      ->transform(within(kAmountRange))
      ->group(training);
  command->add_option("--beta1", t.beta1, "Adam: decay of the mean gradient")
      ->transform(within(kBetaRange))
      ->group(training);
  command->add_option("--beta2", t.beta2, "Adam: of its square (transformer: 0.98)")
      ->transform(within(kBetaRange))
      ->group(training);
  command->add_option("--eps", t.eps, "Adam: added to its root (transformer: 1e-9)")
      ->transform(within(kEpsilonRange))
      ->group(training);
  command
      ->add_option("--ema", t.ema,
                   "Validate and keep a moving average of the weights with this decay; 0: the last")
      ->transform(within(kBetaRange))
      ->group(training);
  command
      ->add_option(
          "--matmul-precision", t.matmul_precision,
          "Of float32 products in training: highest, or medium (bfloat16 operands, several "
          "times as fast on processors with AMX; on others as highest)")
      ->transform(one_of(matmul_precision_names()))
      ->group(training);
  command->add_option("--weight-decay", t.weight_decay, "L2 penalty")
      ->transform(within(kAmountRange))
      ->group(training);
  command->add_option("--valid-every", t.valid_every, "Steps between validations")
      ->transform(within(kCountRange))
      ->group(training);
  command
      ->add_option("--patience", t.patience,
                   "Stop after so many validations without a better score; 0: never")
      ->transform(within(kCountOrNoneRange))
      ->group(training);
  command->add_option("--seed", t.seed, "Of weights, dropout, data order")
      ->transform(within(kSeedRange))
      ->group(training);
  command->add_option("--beam", c.beam, "Beam width of the final test")
      ->transform(within(kBeamRange))
      ->group(training);

  command->callback([command, a] {
    if (a->resume)
      for (const CLI::Option* option : command->get_options())
        if (const std::string name = option->get_name();
            option->count() > 0 && name != "--run" && name != "--resume" &&
            std::find(kLengths.begin(), kLengths.end(), name) == kLengths.end())
          usage_error("--resume continues with the run's own options; " + name +
                      " cannot be changed, only " + listed(kLengths, " and "));
    if (!a->resume) {
      a->model.pictures = reads_pictures(a->task.task);
      const bool labels = classifies(a->task.task);
      if (labels && command->count("--model") == 0) a->model.kind = "classifier";
      if (a->model.kind == "classifier" && !labels)
        usage_error("--model classifier needs --task classify or shortcut, got " + a->task.task);
      settle_model(*command, a->model);
      settle_task(*command, a->task);
      if (labels && command->count("--beam") > 0)
        usage_error("--beam has no effect with --task " + a->task.task);
      TrainOptions& t = a->config.training;
      const bool transformer = a->model.kind == "transformer";  // Vaswani et al. 2017, section 5.3
      if (transformer && command->count("--beta2") == 0) t.beta2 = 0.98;
      if (transformer && command->count("--eps") == 0) t.eps = 1e-9;
      if (a->model.pictures && command->count("--batch") == 0) t.batch_size = 32;
    }
    run_training(*command, *a);
  });
}

}  // namespace glass
