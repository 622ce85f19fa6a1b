#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/json.h"
#include "models/metrics/scores.h"
#include "models/names.h"
#include "models/report/label.h"

namespace glass {
namespace {

constexpr WholeRange kOrderRange{1, 64};
constexpr NumberRange kSmoothingValueRange{.low = 0, .high = 1e6, .above_low = true};

struct ScoreArguments {
  std::vector<std::string> metrics, references;
  std::string hypotheses, captions, tokens, smoothing = "exp";
  double smoothing_value = 0;
  ScoreOptions options;
  bool json = false;
};

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto kind : kinds) names.emplace_back(name(kind));
  return names;
}

template <class Kinds>
auto named(const Kinds& kinds, const std::string& wanted) {
  return *std::find_if(std::begin(kinds), std::end(kinds),
                       [&](const auto kind) { return name(kind) == wanted; });
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricInfo& info : all_metrics()) names.push_back(info.name);
  return names;
}

CLI::Validator known_metric() {
  const auto check = [](std::string& typed) {
    const std::vector<std::string> names = metric_names();
    const bool known = std::find(names.begin(), names.end(), typed) != names.end();
    return known ? std::string()
                 : fmt::format("must be among {}, got {}{}", listed(names, " and "),
                               shorten(clean_text(typed), 40), did_you_mean(names, typed));
  };
  return {check, ""};
}

// Whether any chosen metric is one for which `fits` holds.
template <class Fits>
bool any_metric(const ScoreArguments& a, Fits fits) {
  return std::any_of(all_metrics().begin(), all_metrics().end(), [&](const MetricInfo& info) {
    return std::count(a.metrics.begin(), a.metrics.end(), info.name) > 0 && fits(info);
  });
}

void check_metrics(const ScoreArguments& a) {
  std::set<std::string> seen;
  for (const std::string& metric : a.metrics)
    if (!seen.insert(metric).second) usage_error("--metric names " + metric + " twice");
  const auto is_text = [](const MetricInfo& info) { return info.text; };
  if (seen.count("aer") > 0 && any_metric(a, is_text))
    usage_error("--metric aer reads alignments, all others read text: ask for them apart");
}

void check_files(const ScoreArguments& a) {
  const bool parallel = !a.hypotheses.empty() || !a.references.empty();
  if (parallel && !a.captions.empty())
    usage_error("--captions holds both sides; leave out --hypotheses and --references");
  if (!parallel && a.captions.empty())
    usage_error("needs --hypotheses FILE and --references FILE, or --captions FILE");
  if (parallel && a.references.empty()) usage_error("--hypotheses needs --references FILE");
  if (parallel && a.hypotheses.empty()) usage_error("--references needs --hypotheses FILE");
}

void check_options(const ScoreArguments& a, const CLI::App& command) {
  const auto given = [&](const char* option) { return command.count(option) > 0; };
  for (const char* option :
       {"--smoothing", "--smoothing-value", "--effective-order", "--max-order"})
    if (given(option) && !any_metric(a, [](const auto& info) { return info.name == "bleu"; }))
      usage_error(fmt::format("{} is for --metric bleu", option));
  if (given("--smoothing-value") && usual_value(named(kSmoothings, a.smoothing)) == 0)
    usage_error("--smoothing-value is for --smoothing floor and add-k");
  if (given("--effective-order") && a.smoothing == "coco")
    usage_error("--effective-order leaves out orders that --smoothing coco fills");
  if (given("--tokens") && !any_metric(a, [](const auto& info) { return info.tokens.has_value(); }))
    usage_error(
        fmt::format("--tokens changes nothing for --metric {}", listed(a.metrics, ",", ",")));
  const auto keeps_case = [](const MetricInfo& info) { return info.text && info.name != "rouge"; };
  if (given("--lower") && !any_metric(a, keeps_case))
    usage_error(
        fmt::format("--lower changes nothing for --metric {}", listed(a.metrics, ",", ",")));
}

Json measures_json(const std::vector<Measure>& measures, const std::vector<std::string>& warnings,
                   size_t lines) {
  Json scores = Json::object();
  for (const Measure& m : measures) {
    Json& one = scores[m.name] = {{"value", m.value}, {"signature", m.signature}};
    for (const auto& [part, value] : m.parts) one[part] = value;
  }
  return {{"lines", lines}, {"scores", scores}, {"warnings", warnings}};
}

void run_score(ScoreArguments& a, const CLI::App& command) {
  check_metrics(a);
  check_files(a);
  check_options(a, command);
  if (!a.tokens.empty()) a.options.tokens = named(kTokenisers, a.tokens);
  BleuOptions& bleu = a.options.bleu;
  bleu.smoothing = named(kSmoothings, a.smoothing);
  bleu.value = a.smoothing_value > 0 ? a.smoothing_value : usual_value(bleu.smoothing);

  const TextSet set =
      a.captions.empty() ? read_parallel(a.hypotheses, a.references) : read_captions(a.captions);
  std::vector<std::string> warnings = set.warnings;
  std::vector<Measure> measures;
  for (const std::string& metric : a.metrics)
    for (Measure& measure : score(metric, set, a.options)) {
      measure.signature += "|version:glass-" GLASS_VERSION;
      if (!measure.warning.empty()) warnings.push_back(measure.warning);
      measures.push_back(std::move(measure));
    }
  for (const std::string& warning : warnings)
    fmt::print(stderr, "warning: {}\n", clean_text(warning));
  if (a.json) {
    fmt::print("{}\n", measures_json(measures, warnings, set.hypotheses.size()).dump(2));
    return;
  }
  for (const Measure& m : measures)
    fmt::print("{:<15}  {:>9.6f}  {}\n", m.name, m.value, m.signature);
}

}  // namespace

void add_score_command(CLI::App& app) {
  auto* command = app.add_subcommand("score", "Score lines of text against references");
  std::string footer =
      "Values are fractions (BLEU 0.485, not 48.5), but CIDEr goes to 10 and error rates may "
      "exceed\n"
      "1. The signature beside a value says what it depends on: compare values with equal ones.\n"
      "Metrics:\n";
  for (const MetricInfo& info : all_metrics())
    footer += fmt::format("  {:<16}{}{}\n", info.name, info.what,
                          info.tokens ? fmt::format(" [{}]", name(*info.tokens)) : "");
  footer +=
      "Tokens, in brackets above those a metric takes unless --tokens says otherwise:\n"
      "  none   at white space: the text is tokenised    char  every character\n"
      "  space  at every blank, as TensorFlow's nmt      zh    Chinese characters, the rest as "
      "13a\n"
      "  13a    that of mteval-v13a and sacreBLEU        ptb   that of caption evaluation\n"
      "  rouge  a-z and 0-9 in lower case\n"
      "What caption evaluation prints: --metric bleu,rouge-l-caption,cider --tokens ptb (none, if\n"
      "the captions are tokenised) --smoothing coco.";
  command->footer(footer);
  auto a = std::make_shared<ScoreArguments>();
  command->add_option("--metric", a->metrics, "What to compute, of the list below")
      ->delimiter(',')
      ->transform(known_metric())
      ->type_name("NAME,...")
      ->required();
  command
      ->add_option("--hypotheses", a->hypotheses, "What is scored: one text a line, plain or .gz")
      ->transform(naming("a file"));
  command
      ->add_option("--references", a->references,
                   "What is right, line by line; several files: several references each")
      ->transform(naming("a file"));
  command
      ->add_option("--captions", a->captions,
                   "Instead of both: lines of ID, hypothesis and references, tab-separated")
      ->transform(naming("a file"));
  command->add_option("--tokens", a->tokens, "How words are told apart")
      ->transform(one_of(names_of(kTokenisers)));
  command->add_flag("--lower", a->options.lower, "Lower-case both sides first");
  command->add_flag("--json", a->json, "Print JSON, with what the values were made from");

  const char* bleu = "BLEU";
  command->add_option("--smoothing", a->smoothing, "What stands in for a precision of 0")
      ->transform(one_of(names_of(kSmoothings)))
      ->capture_default_str()
      ->group(bleu);
  command
      ->add_option("--smoothing-value", a->smoothing_value,
                   "Of floor (default 0.1) and add-k (default 1)")
      ->transform(within(kSmoothingValueRange))
      ->group(bleu);
  command
      ->add_flag("--effective-order", a->options.bleu.effective_order,
                 "Leave out n-grams longer than every hypothesis")
      ->group(bleu);
  command->add_option("--max-order", a->options.bleu.max_order, "Longest n-grams")
      ->transform(within(kOrderRange))
      ->capture_default_str()
      ->group(bleu);
  command->callback([command, a] { run_score(*a, *command); });
}

}  // namespace glass
