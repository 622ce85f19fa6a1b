#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "models/cli/commands.h"
#include "models/cli/task_arguments.h"
#include "models/cli/usage.h"
#include "models/json.h"
#include "models/names.h"
#include "models/report/plot.h"
#include "models/seq2seq/alignment_errors.h"
#include "models/seq2seq/by_length.h"
#include "models/train/run_folder.h"
#include "tensor/file.h"

namespace glass {
namespace {

struct EvalArguments {
  std::string run, data, split = "test", svg;
  std::vector<std::string> against;
  int64_t beam = 0;
  bool json = false, by_length = false;
};

struct EvalData {
  std::vector<References> data;
  std::vector<GoldLinks> links;
};

EvalData data_of(const EvalArguments& a, const RunConfig& config) {
  if (a.data.empty()) {
    Corpus corpus = load_corpus(config);
    if (a.split == "test") return {std::move(corpus.test), std::move(corpus.test_links)};
    return {std::move(corpus.valid), std::move(corpus.valid_links)};
  }
  if (config.codec.reads_pictures())
    fail("eval", "a run that reads pictures is scored on its own data; leave out --data", a.data);
  return {references_for(config, a.data), {}};
}

// How the runs of --against answer the same sources.
std::vector<ScoresByLength> others_by_length(const EvalArguments& a, const EvalData& data,
                                             const std::vector<LengthGroup>& groups) {
  std::vector<ScoresByLength> all;
  for (const std::string& run : a.against) {
    const RunConfig config = load_config(run);
    const auto model = load_model(run, config);
    const EvalData own = data_of(a, config);
    const auto same = [](const References& x, const References& y) {
      return x.source == y.source && x.targets == y.targets;
    };
    if (!std::equal(own.data.begin(), own.data.end(), data.data.begin(), data.data.end(), same))
      fail("eval", "runs must be scored on the same sources; give both the same --data", run,
           " has others than ", a.run);
    const int64_t beam = a.beam > 0 ? a.beam : config.beam;
    all.push_back(scores_by_length(config.codec, own.data,
                                   evaluate(*model, config.codec, own.data, beam).translations,
                                   groups));
  }
  return all;
}

// Curves are named by their folders, without what stands above them unless two would be alike.
std::vector<std::string> last_folders(const std::vector<std::string>& runs) {
  std::vector<std::string> names;
  for (const std::string& run : runs)
    names.push_back(std::filesystem::absolute(run + "/").parent_path().filename().string());
  std::set<std::string> different(names.begin(), names.end());
  return different.size() == runs.size() ? names : runs;
}

void print_by_length(const std::vector<std::string>& names,
                     const std::vector<ScoresByLength>& runs) {
  fmt::print("\n{:>10} {:>8}", "tokens", "sources");
  for (size_t i = 0; i < runs.size(); ++i) fmt::print("  {:>8} {:>8}", "BLEU", "symbols");
  fmt::print("\n");
  for (size_t g = 0; g < runs[0].groups.size(); ++g) {
    const LengthGroup& group = runs[0].groups[g];
    const std::string range = group.shortest == group.longest
                                  ? std::to_string(group.shortest)
                                  : fmt::format("{}-{}", group.shortest, group.longest);
    fmt::print("{:>10} {:>8}", range, group.rows.size());
    for (const ScoresByLength& run : runs)
      fmt::print("  {:8.4f} {:8.4f}", run.scores[g].bleu.value, run.scores[g].symbol_error_rate);
    fmt::print("\n");
  }
  if (runs.size() > 1) fmt::print("runs, from the left: {}\n", fmt::join(names, ", "));
}

Json by_length_json(const std::vector<std::string>& names,
                    const std::vector<ScoresByLength>& runs) {
  Json all = Json::array();
  for (size_t i = 0; i < runs.size(); ++i)
    for (size_t g = 0; g < runs[i].groups.size(); ++g)
      all.push_back({{"run", names[i]},
                     {"shortest", runs[i].groups[g].shortest},
                     {"longest", runs[i].groups[g].longest},
                     {"sources", runs[i].groups[g].rows.size()},
                     {"exact_match", runs[i].scores[g].exact_match},
                     {"symbol_error_rate", runs[i].scores[g].symbol_error_rate},
                     {"bleu", runs[i].scores[g].bleu.value}});
  return all;
}

void run_eval(const EvalArguments& a) {
  if (!a.by_length && !a.against.empty()) usage_error("--against needs --by-length");
  if (!a.by_length && !a.svg.empty()) usage_error("--svg needs --by-length");
  const RunConfig config = load_config(a.run);
  if (a.by_length && config.codec.reads_pictures())
    usage_error("--by-length has no effect on a run that reads pictures");
  const bool labels = classifies(config.task);
  if (a.by_length && labels) usage_error("--by-length has no effect on a classifier");
  if (a.beam > 0 && labels) usage_error("--beam has no effect on a classifier");
  const auto model = load_model(a.run, config);
  const EvalData all = data_of(a, config);
  const auto& [data, links] = all;
  const int64_t beam = a.beam > 0 ? a.beam : config.beam;
  const Evaluation e = evaluate(*model, config.codec, data, beam);
  std::optional<double> alignment;
  if (model->attends() && !links.empty())
    alignment = attention_alignment_error_rate(*model, config.codec, data, links);
  std::vector<ScoresByLength> by_length;
  std::vector<std::string> names{a.run};
  names.insert(names.end(), a.against.begin(), a.against.end());
  if (a.by_length) {
    const std::vector<LengthGroup> groups = length_groups(config.codec, data);
    by_length = others_by_length(a, all, groups);
    by_length.insert(by_length.begin(),
                     scores_by_length(config.codec, data, e.translations, groups));
    if (!a.svg.empty())
      write_file_atomically(a.svg,
                            line_plot_svg(length_plot(last_folders(names), by_length), true));
  }
  if (a.json) {
    Json j = score_json(config.task, e.score);
    for (const auto& [name, value] : e.more) j[name] = value;
    if (!labels) j["bleu_signature"] = e.bleu_signature;
    if (alignment) j["alignment_error_rate"] = *alignment;
    j["sources"] = data.size();
    if (!labels) j["beam"] = beam;
    if (a.by_length) j["by_length"] = by_length_json(names, by_length);
    fmt::print("{}\n", j.dump(1));
    return;
  }
  if (labels) {
    fmt::print("{}\naccuracy           {:.4f}\nloss per text      {:.4f}\n",
               counted(std::ssize(data), "source"), e.score.exact_match, e.score.loss);
    return;
  }
  fmt::print("{}, beam {}\n", counted(std::ssize(data), "source"), beam);
  fmt::print("exact match        {:.4f}\nsymbol error rate  {:.4f}\n", e.score.exact_match,
             e.score.symbol_error_rate);
  fmt::print("BLEU               {:.4f}  {}\nloss per token     {:.4f}\n", e.score.bleu,
             e.bleu_signature, e.score.loss);
  if (alignment) fmt::print("alignment errors   {:.4f}  of the attention\n", *alignment);
  for (const auto& [name, value] : e.more) fmt::print("{:18} {:.4f}\n", name, value);
  if (a.by_length) print_by_length(names, by_length);
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
  command->add_flag("--by-length", a->by_length, "Scores by the length of the source, too");
  command->add_option("--against", a->against, "Other runs, beside it by length")
      ->transform(naming("a folder"));
  command->add_option("--svg", a->svg, "Draw BLEU by length into a file")
      ->transform(naming("a file"));
  command->add_flag("--json", a->json, "Print JSON");
  command->callback([a] { run_eval(*a); });
}

}  // namespace glass
