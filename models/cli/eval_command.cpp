#include <fmt/core.h>

#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/json.h"
#include "models/names.h"
#include "models/seq2seq/alignment_errors.h"
#include "models/train/run_folder.h"

namespace glass {
namespace {

struct EvalArguments {
  std::string run, data, split = "test";
  int64_t beam = 0;
  bool json = false;
};

void run_eval(const EvalArguments& a) {
  const RunConfig config = load_config(a.run);
  const auto model = load_model(a.run, config);
  std::vector<References> data;
  std::vector<GoldLinks> links;
  if (a.data.empty()) {
    Corpus corpus = load_corpus(config);
    const bool test = a.split == "test";
    data = std::move(test ? corpus.test : corpus.valid);
    links = std::move(test ? corpus.test_links : corpus.valid_links);
  } else {
    if (config.codec.reads_pictures())
      fail("eval", "a run that reads pictures is scored on its own data; leave out --data", a.data);
    data = read_references(a.data, config.files.strip_stress, config.task == "classify");
  }
  const int64_t beam = a.beam > 0 ? a.beam : config.beam;
  const Evaluation e = evaluate(*model, config.codec, data, beam);
  std::optional<double> alignment;
  if (model->attends() && !links.empty())
    alignment = attention_alignment_error_rate(*model, config.codec, data, links);
  if (a.json) {
    Json j = to_json(e.score);
    for (const auto& [name, value] : e.more) j[name] = value;
    j["bleu_signature"] = e.bleu_signature;
    if (classifies(config.task)) j["accuracy"] = e.score.exact_match;
    if (alignment) j["alignment_error_rate"] = *alignment;
    j["sources"] = data.size();
    j["beam"] = beam;
    fmt::print("{}\n", j.dump(1));
    return;
  }
  fmt::print("{}, beam {}\n", counted(std::ssize(data), "source"), beam);
  if (classifies(config.task)) {
    fmt::print("accuracy           {:.4f}\nloss per text      {:.4f}\n", e.score.exact_match,
               e.score.loss);
    return;
  }
  fmt::print("exact match        {:.4f}\nsymbol error rate  {:.4f}\n", e.score.exact_match,
             e.score.symbol_error_rate);
  fmt::print("BLEU               {:.4f}  {}\nloss per token     {:.4f}\n", e.score.bleu,
             e.bleu_signature, e.score.loss);
  if (alignment) fmt::print("alignment errors   {:.4f}  of the attention\n", *alignment);
  for (const auto& [name, value] : e.more) fmt::print("{:18} {:.4f}\n", name, value);
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto* command = app.add_subcommand("eval", "Score a trained run on its test data, or on a file");
  auto a = std::make_shared<EvalArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  auto* data = command->add_option("--data", a->data, "A file of pairs instead, as for train")
                   ->transform(naming("a file"));
  command->add_option("--split", a->split, "Of the run's own data: test or valid")
      ->transform(one_of({"test", "valid"}))
      ->excludes(data)
      ->capture_default_str();
  command->add_option("--beam", a->beam, "Beam width (default: the run's)")
      ->transform(within(kBeamRange));
  command->add_flag("--json", a->json, "Print JSON");
  command->callback([a] { run_eval(*a); });
}

}  // namespace glass
