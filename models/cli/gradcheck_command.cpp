#include "models/cli/gradcheck_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.h"
#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/doctor/report_json.h"
#include "models/names.h"
#include "models/registry.h"

namespace glass {
namespace {

constexpr const char* kRow = "{:<33} {:<6} {:>7}  {:<8} {:<8} {:>10} {:>8}\n";

const char* kind_name(EntryKind kind) {
  switch (kind) {
    case EntryKind::op:
      return "op";
    case EntryKind::fused:
      return "fused";
    case EntryKind::layer:
      return "layer";
    case EntryKind::loss:
      return "loss";
    default:
      return "model";
  }
}

std::string near_names(const std::vector<Entry>& entries, const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  const std::string near = did_you_mean(names, name);
  return near.empty() ? "; `glass gradcheck --list` names all" : near;
}

// A name means the entry of that name and all of its family: attention is attention.cosine too.
bool means(const std::string& name, const Entry& entry) {
  return entry.name == name || entry.name.starts_with(name + ".");
}

// What was found about an entry, over all its samples.
struct Tally {
  bool failed = false;
  bool first = false, second = false;  // whether any sample was checked so far
  Verdict first_verdict = Verdict::pass, second_verdict = Verdict::pass;  // the last not expected
  double worst = 0;
  std::string reports;
  nlohmann::json json = nlohmann::json::array();
};

// A sample of a function without derivatives: it must not claim any.
void check_constant(const Sample& sample, const Vars& inputs, Tally& tally) {
  for (const Var& y : sample.f(inputs))
    if (y.requires_grad()) {
      tally.failed = true;
      tally.reports += "  " + sample.label + ": registered without derivative, but has a history\n";
    }
}

void check_sample(const Entry& entry, const Sample& sample, uint64_t seed,
                  const GradcheckChoices& choices, Tally& tally) {
  Generator generator(seed);
  const Vars inputs = make_inputs(sample, generator);
  if (!entry.differentiable) return check_constant(sample, inputs, tally);
  if (std::none_of(inputs.begin(), inputs.end(), [](const Var& x) { return x.requires_grad(); }))
    return;
  const GradReport report = check(sample.f, inputs,
                                  {.name = entry.name + ", " + sample.label,
                                   .seed = seed,
                                   .tolerance = sample.tolerance,
                                   .second_order = sample.second_order,
                                   .gear = static_cast<int>(choices.gear),
                                   .columns = choices.columns});
  if (choices.json) {
    tally.json.push_back(to_json(report));
    tally.json.back()["expected"] = word_of(sample.expect);
  }
  tally.first = true;
  tally.second = tally.second || report.second.checked;
  if (report.verdict == sample.expect) {
    if (report.ok())
      tally.worst = std::max({tally.worst, report.first.precision, report.second.precision});
    return;
  }
  tally.failed = true;
  tally.reports += report.text();
  if (sample.expect != Verdict::pass)
    tally.reports += fmt::format("  expected {}\n", std::string(name_of(sample.expect)));
  (report.second.checked ? tally.second_verdict : tally.first_verdict) =
      report.ok() ? Verdict::fail : report.verdict;
}

Tally check_entry(const Entry& entry, const GradcheckChoices& choices) {
  Tally tally;
  for (size_t i = 0; i < entry.samples.size(); ++i) {
    try {
      check_sample(entry, entry.samples[i], i, choices, tally);
    } catch (const std::exception& error) {
      tally.failed = tally.first = true;
      tally.first_verdict = Verdict::fail;
      tally.reports +=
          fmt::format("  {}, {}: threw {}\n", entry.name, entry.samples[i].label, error.what());
    }
  }
  if (entry.samples.empty()) {
    tally.failed = true;
    tally.reports += "  no samples: nothing is known about it\n";
  }
  return tally;
}

std::string verdict(bool checked, Verdict verdict) {
  return checked ? std::string(name_of(verdict)) : "-";
}

}  // namespace

std::vector<const Entry*> entries_named(const std::vector<Entry>& entries,
                                        const std::vector<std::string>& names) {
  std::vector<const Entry*> chosen;
  for (const Entry& entry : entries)
    if (names.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return means(name, entry); }))
      chosen.push_back(&entry);
  for (const std::string& name : names)
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return means(name, entry); }))
      fail("gradcheck", "nothing of this name is registered", name, near_names(entries, name));
  return chosen;
}

int run_gradcheck(const std::vector<Entry>& entries, const std::vector<std::string>& names,
                  std::ostream& out, const GradcheckChoices& choices) {
  using Clock = std::chrono::steady_clock;
  const std::vector<const Entry*> chosen = entries_named(entries, names);
  int passed = 0, failed = 0;
  nlohmann::json json = nlohmann::json::array();
  if (!choices.json)
    out << fmt::format(kRow, "name", "kind", "samples", "first", "second", "difference", "ms");
  for (const Entry* entry : chosen) {
    const Clock::time_point start = Clock::now();
    const Tally tally = check_entry(*entry, choices);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    ++(tally.failed ? failed : passed);
    if (choices.json) {
      json.push_back({{"name", entry->name},
                      {"kind", kind_name(entry->kind)},
                      {"passed", !tally.failed},
                      {"reports", tally.json}});
      continue;
    }
    out << fmt::format(kRow, entry->name, kind_name(entry->kind), entry->samples.size(),
                       verdict(tally.first, tally.first_verdict),
                       verdict(tally.second, tally.second_verdict),
                       tally.first ? fmt::format("{:.1e}", tally.worst) : "-",
                       fmt::format("{:.1f}", ms))
        << tally.reports << std::flush;
  }
  if (choices.json)
    out << nlohmann::json{{"entries", json}, {"passed", passed}, {"failed", failed}}.dump(1)
        << "\n";
  else
    out << fmt::format("gradcheck: {} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

void add_gradcheck_command(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> names;
    bool mutants = false, models = false, list = false;
    GradcheckChoices choices;
  };
  CLI::App* command = app.add_subcommand(
      "gradcheck", "Check the derivatives of every op and layer against finite differences");
  auto a = std::make_shared<Arguments>();
  command->add_option("name", a->names, "What to check; nothing named: everything registered");
  CLI::Option* mutants =
      command->add_flag("--mutants", a->mutants,
                        "Break each backward on purpose: count what the check finds and names");
  CLI::Option* models = command->add_flag(
      "--models", a->models, "Check the loss of complete models, a line per parameter");
  command->add_option("--gear", a->choices.gear, "1: random directions; 2: each element alone")
      ->transform(within(WholeRange{1, 2}))
      ->capture_default_str();
  command
      ->add_option("--columns", a->choices.columns,
                   "Gear 2: so many elements of an input, drawn at random; 0: all")
      ->transform(within(WholeRange{0, 1000000}))
      ->capture_default_str();
  command->add_flag("--json", a->choices.json, "Print everything found as JSON");
  command->add_flag("--list", a->list, "Only name what is registered; with --models, the models")
      ->excludes(mutants);
  mutants->excludes(models);
  command->footer("Ends with status 1 when a check fails, or a mutant survives.");
  command->callback([a, command] {
    for (const char* option : {"--gear", "--columns", "--json"})
      if ((a->mutants || a->models || a->list) && command->count(option) > 0)
        usage_error(std::string(option) + " has no effect with " +
                    (a->mutants ? "--mutants"
                     : a->list  ? "--list"
                                : "--models"));
    if (a->choices.gear == 1 && command->count("--columns") > 0)
      usage_error("--columns has no effect with --gear 1");
    if (a->list) {
      if (a->models)
        list_models(a->names, std::cout);
      else
        for (const Entry* entry : entries_named(all_entries(), a->names))
          std::cout << entry->name << "\n";
      return;
    }
    const int status = a->mutants  ? run_mutants(all_entries(), a->names, std::cout)
                       : a->models ? run_model_checks(a->names, std::cout)
                                   : run_gradcheck(all_entries(), a->names, std::cout, a->choices);
    if (status != 0) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
