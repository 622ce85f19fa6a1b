#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/training.h"
#include "models/cli/usage.h"
#include "models/json.h"
#include "models/train/interrupt.h"

namespace glass {
namespace {

RunConfig demo_config(const Corpus& corpus) {
  RunConfig config;
  config.task = "dates";
  config.codec = TextCodec(TextOptions{}, corpus.train);
  config.model = Seq2SeqOptions{.source_vocabulary = config.codec.source.size(),
                                .target_vocabulary = config.codec.target.size(),
                                .embedding = 32,
                                .hidden = 64,
                                .attention = {.size = 64},
                                .dropout = 0.1};
  config.training = {
      .steps = 1500, .batch_size = 64, .lr = 5e-3, .warmup = 100, .valid_every = 300};
  return config;
}

// A demo may be run again; another run in its place is not lost for it.
void check_place(const std::string& folder, const RunConfig& config) {
  check_new_run(folder, true);
  if (!std::filesystem::exists(folder + "/config.json")) return;
  const RunConfig there = load_config(folder);
  if (there.task != config.task || to_json(there.model) != to_json(config.model) ||
      to_json(there.training) != to_json(config.training))
    fail("demo", "this folder holds another run", folder, "; choose another --run, or remove it");
}

void demo(const std::string& folder) {
  const InterruptGuard guard;
  const Corpus corpus = dates_corpus({}, 1);
  const RunConfig config = demo_config(corpus);
  check_place(folder, config);
  fmt::print("Training a translator from dates as people write them to 1998-03-03.\n");
  const Evaluation test = train_run(config, corpus, folder, Start::replace);
  fmt::print("\nWhere it looked (a row for each written character):\n");
  print_samples(test.translations, 4);
  fmt::print(
      "\nexact match {:.4f} on {} dates that occur in training in no form\n"
      "Open {}/report.html, or try: ./glass translate --run {} --attention \"March 3, 1998\"\n",
      test.score.exact_match, test.translations.size(), folder, folder);
}

}  // namespace

void add_demo_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "demo", "Train a small date translator in a minute or two and show where it looks");
  auto folder = std::make_shared<std::string>("runs/demo");
  command->add_option("--run", *folder, "Run folder")
      ->transform(naming("a folder"))
      ->capture_default_str();
  command->callback([folder] { demo(*folder); });
}

}  // namespace glass
