#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/diagnosis/document.h"
#include "models/diagnosis/run_diagnosis.h"
#include "models/report/label.h"
#include "models/train/interrupt.h"
#include "models/train/run_folder.h"

namespace glass {
namespace {

struct DiagnoseArguments {
  std::string reproduce, run;
  bool list = false, markdown = false;
};

void list_rules() {
  for (const Rule& rule : rules())
    fmt::print(
        "{}\n  {}\n  measured: {}\n  healthy runs at most {}, alarm above {}, broken {}\n"
        "  try: {}\n\n",
        rule.name, rule.symptom, rule.quantity, number_text(rule.healthy), number_text(rule.limit),
        number_text(rule.broken), rule.remedy);
}

void show_alarms(const std::string& folder) {
  load_config(folder);  // a folder that is no run has no healthy one either
  if (!has_diagnosis(folder))
    fail_environment("diagnose",
                     "the run has no diagnosis.json, which training writes at its first validation",
                     folder);
  const std::vector<Alarm> alarms = load_alarms(folder);
  for (const Alarm& a : alarms)
    fmt::print("steps {} to {}: {}\n", a.first_step, a.last_step, clean_text(a.text));
  if (alarms.empty()) fmt::print("no alarm\n");
}

// Prints a course and says whether the rule gave an alarm.
bool show_course(const Rule& rule, const std::string& title, const Course& course) {
  fmt::print("{}\n  validation loss", title);
  for (const HistoryEntry& h : course.record.validations)
    fmt::print("  {} ({})", number_text(h.valid.loss), h.step);
  fmt::print("{}\n", course.record.validations.empty() ? "  none" : "");
  if (!course.stopped.empty()) fmt::print("  stopped: {}\n", clean_text(course.stopped));
  bool alarm = false;
  for (const Finding& finding : findings(course.record)) {
    fmt::print("  alarm: {}\n", clean_text(finding.text()));
    alarm = alarm || finding.rule == &rule;
  }
  fmt::print("  {}: {}, alarm above {}\n", rule.name, number_text(worst(rule, course.record).value),
             number_text(rule.limit));
  std::fflush(stdout);
  return alarm;
}

// Whether all went as it should: an alarm when broken, none when cured.
bool reproduce(const Rule& rule) {
  const InterruptGuard guard;
  bool right = true;
  fmt::print("{}: {}\nmeasured: {}\n", rule.name, rule.symptom, rule.quantity);
  for (const Demonstration& d : rule.demonstrations()) {
    fmt::print("\n");
    const bool seen = show_course(rule, "broken: " + d.broken, d.run(false));
    const bool still = show_course(rule, "cured: " + d.cured, d.run(true));
    right = right && seen && !still;
  }
  fmt::print("\nTry: {}\n", rule.remedy);
  return right;
}

}  // namespace

void add_diagnose_command(CLI::App& app) {
  auto* command = app.add_subcommand("diagnose",
                                     "Show what can go wrong in training, and how "
                                     "Glass sees it");
  auto a = std::make_shared<DiagnoseArguments>();
  std::vector<std::string> names;
  for (const Rule& rule : rules()) names.push_back(rule.name);
  std::vector<CLI::Option*> ways = {
      command->add_flag("--list", a->list, "All rules: symptom, limit, what to try"),
      command
          ->add_option("--reproduce", a->reproduce,
                       "Break a small training so that this rule gives an alarm, and cure it")
          ->transform(one_of(names)),
      command->add_option("--run", a->run, "The alarms of a run folder")
          ->transform(naming("a folder")),
      command->add_flag("--markdown", a->markdown, "docs/diagnosis.md")};
  for (CLI::Option* one : ways)
    for (CLI::Option* other : ways)
      if (one != other) one->excludes(other);
  command->footer(
      "Ends with status 1 when a rule missed its trouble or saw it in the cured model.");
  command->callback([a] {
    if (!a->reproduce.empty()) {
      if (!reproduce(find_rule(a->reproduce))) throw CLI::RuntimeError(1);
    } else if (!a->run.empty()) {
      show_alarms(a->run);
    } else if (a->markdown) {
      fmt::print("{}", diagnosis_markdown());
    } else if (a->list) {
      list_rules();
    } else {
      usage_error("give --list, --reproduce NAME or --run FOLDER");
    }
  });
}

}  // namespace glass
