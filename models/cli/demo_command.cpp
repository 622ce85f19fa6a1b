#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/training.h"
#include "models/cli/usage.h"

namespace glass {
namespace {

RunConfig demo_config(const Corpus& corpus) {
  RunConfig config;
  config.task = "dates";
  config.codec = TextCodec(TextOptions{}, corpus.train);
  config.model = {.source_vocabulary = config.codec.source.size(),
                  .target_vocabulary = config.codec.target.size(),
                  .embedding = 32,
                  .hidden = 64,
                  .attention = 64,
                  .dropout = 0.1};
  config.training = {
      .steps = 1500, .batch_size = 64, .lr = 5e-3, .warmup = 100, .valid_every = 300};
  return config;
}

void demo(const std::string& folder) {
  fmt::print("Training a translator from dates as people write them to 1998-03-03.\n");
  const Corpus corpus = dates_corpus(1);
  // The demo starts afresh each time.
  std::error_code ignored;
  std::filesystem::remove(folder + "/checkpoint.safetensors", ignored);
  const Evaluation test = train_run(demo_config(corpus), corpus, folder, false);
  if (test.translations.empty()) return;
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
