#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/training.h"

namespace glass {
namespace {

// What the command line can say; defaults are those of RunConfig where a task does not differ.
struct TrainArguments {
  std::string task = "pairs", run, cell = "lstm";
  std::string source_tokens = "chars", target_tokens = "chars";
  RunConfig config;
  bool resume = false, one_way = false;
};

void check(const TrainArguments& a) {
  const TrainOptions& t = a.config.training;
  const Seq2SeqOptions& m = a.config.model;
  if (a.task == "pairs" && a.config.files.data.empty())
    fail("train", "--task pairs needs --data FILE", "a TSV file: source, tab, target");
  if (a.task == "dates" && !a.config.files.data.empty())
    fail("train", "--task dates makes its own data; leave out --data");
  if (t.steps < 1) fail("train", "--steps must be at least 1", t.steps);
  if (t.batch_size < 1) fail("train", "--batch must be at least 1", t.batch_size);
  if (!(t.lr > 0)) fail("train", "--lr must be positive", t.lr);
  if (t.valid_every < 1) fail("train", "--valid-every must be at least 1", t.valid_every);
  if (m.embedding < 1 || m.hidden < 1 || m.attention < 1 || m.layers < 1)
    fail("train", "sizes must be at least 1", "--embedding ", m.embedding, ", --hidden ", m.hidden,
         ", --attention ", m.attention, ", --layers ", m.layers);
  if (!(m.dropout >= 0 && m.dropout < 1)) fail("train", "--dropout must be in [0, 1)", m.dropout);
  if (a.config.beam < 1) fail("train", "--beam must be at least 1", a.config.beam);
}

void run_training(TrainArguments& a, bool options_given) {
  if (a.run.empty()) a.run = "runs/" + a.task;
  if (a.resume) {
    if (options_given)
      fail("train", "--resume continues with the run's own options", "give only --run with it");
    const RunConfig config = load_config(a.run);
    train_run(config, load_corpus(config), a.run, true);
    return;
  }
  check(a);
  if (std::filesystem::exists(a.run + "/checkpoint.safetensors"))
    fail("train", "this folder already holds a run", a.run,
         "; continue it with --resume, or choose another --run");
  a.config.task = a.task;
  a.config.model.cell = a.cell == "gru" ? CellKind::gru : CellKind::lstm;
  a.config.model.bidirectional = !a.one_way;
  const Corpus corpus = load_corpus(a.config);
  a.config.codec.options.source = tokens_named(a.source_tokens);
  a.config.codec.options.target = tokens_named(a.target_tokens);
  a.config.codec.options.strip_stress = a.config.files.strip_stress;
  a.config.codec = TextCodec(a.config.codec.options, corpus.train);
  a.config.model.source_vocabulary = a.config.codec.source.size();
  a.config.model.target_vocabulary = a.config.codec.target.size();
  const Evaluation test = train_run(a.config, corpus, a.run, false);
  print_samples(test.translations, 3);
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "train",
      "Train a sequence-to-sequence model with attention.\n"
      "Writes a run folder: config.json, metrics.json, model.safetensors (the best model),\n"
      "checkpoint.safetensors (to --resume from) and report.html.\n"
      "Ctrl-C stops cleanly after the current step.");
  auto a = std::make_shared<TrainArguments>();
  RunConfig& c = a->config;
  command->option_defaults()->always_capture_default();
  command->add_option("--task", a->task, "dates: write calendar dates as 1998-03-03; pairs: --data")
      ->check(CLI::IsMember({"dates", "pairs"}));
  command->add_option("--run", a->run, "Run folder")->default_str("runs/TASK");
  command->add_flag("--resume", a->resume, "Continue the run in --run exactly where it stopped");

  const char* data = "Data";
  command->add_option("--data", c.files.data, "TSV of source and target, plain or .gz")
      ->group(data);
  command->add_option("--valid", c.files.valid, "The same for validation (default: split off)")
      ->group(data);
  command->add_option("--test", c.files.test, "The same for the final test (default: split off)")
      ->group(data);
  const auto kinds = CLI::IsMember({"chars", "words", "split"});
  command
      ->add_option("--source-tokens", a->source_tokens, "chars, words, or split (at white space)")
      ->check(kinds)
      ->group(data);
  command->add_option("--target-tokens", a->target_tokens, "The same for targets")
      ->check(kinds)
      ->group(data);
  command->add_flag("--lower", c.codec.options.lower_source, "Lower-case the sources")->group(data);
  command
      ->add_flag("--strip-stress", c.files.strip_stress,
                 "Drop stress marks from phones (AA1 -> AA)")
      ->group(data);
  command->add_option("--min-count", c.codec.options.min_count, "Rarer tokens become <unk>")
      ->check(CLI::PositiveNumber)
      ->group(data);

  const char* model = "Model";
  command->add_option("--cell", a->cell, "lstm or gru")
      ->check(CLI::IsMember({"lstm", "gru"}))
      ->group(model);
  command->add_option("--embedding", c.model.embedding, "Size of token vectors")->group(model);
  command->add_option("--hidden", c.model.hidden, "Size of recurrent states")->group(model);
  command->add_option("--attention", c.model.attention, "Inner size of the attention")
      ->group(model);
  command->add_option("--layers", c.model.layers, "Encoder layers")->group(model);
  command->add_flag("--one-way", a->one_way, "Encoder reads forward only")->group(model);
  command->add_option("--dropout", c.model.dropout, "Dropped part of vectors")->group(model);
  command
      ->add_option("--label-smoothing", c.model.label_smoothing,
                   "Probability spread over all tokens")
      ->check(CLI::Range(0.0, 0.99))
      ->group(model);

  const char* training = "Training";
  TrainOptions& t = c.training;
  command->add_option("--steps", t.steps, "Optimiser steps in all")->group(training);
  command->add_option("--max-minutes", t.max_minutes, "Stop cleanly after so long; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->group(training);
  command->add_option("--batch", t.batch_size, "Sentences per step")->group(training);
  command->add_option("--lr", t.lr, "Highest learning rate (Adam)")->group(training);
  command->add_option("--warmup", t.warmup, "Steps until --lr is reached")
      ->check(CLI::NonNegativeNumber)
      ->group(training);
  command->add_option("--schedule", t.schedule, "After warm-up: constant, linear or cosine")
      ->check(CLI::IsMember({"constant", "linear", "cosine"}))
      ->group(training);
  command->add_option("--clip", t.clip, "Largest gradient norm; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->group(training);
  command->add_option("--weight-decay", t.weight_decay, "L2 penalty")
      ->check(CLI::NonNegativeNumber)
      ->group(training);
  command->add_option("--valid-every", t.valid_every, "Steps between validations")->group(training);
  command
      ->add_option("--patience", t.patience,
                   "Stop after so many validations without a better score; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->group(training);
  command->add_option("--seed", t.seed, "Of weights, dropout, data order")->group(training);
  command->add_option("--beam", c.beam, "Beam width of the final test")->group(training);

  command->callback([command, a] {
    size_t given = 0;
    for (const CLI::Option* option : command->get_options())
      if (option->count() > 0 && option->get_name() != "--run" && option->get_name() != "--resume")
        ++given;
    run_training(*a, given > 0);
  });
}

}  // namespace glass
