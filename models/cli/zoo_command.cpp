#include <fmt/core.h>

#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/zoo/zoo.h"

namespace glass {
namespace {

struct ZooArguments {
  uint64_t seed = 0;
  std::string check, diagnose;
  std::vector<std::string> answer;
  bool reveal = false;
};

std::string losses(const Zoo& zoo, bool with_bug) {
  std::string line;
  for (double loss : zoo.training(with_bug)) line += fmt::format("{:>10.4f}", loss);
  return line;
}

void show(const Zoo& zoo, uint64_t seed) {
  fmt::print("One backward of this network is wrong. All values are right.\n\n");
  for (const ZooPlace& place : zoo_places()) fmt::print("  {:<10} {}\n", place.name, place.formula);
  fmt::print("\nparameters");
  const Vars parameters = zoo.parameters();
  for (size_t i = 0; i < parameters.size(); ++i)
    fmt::print("{} {} {}", i > 0 ? "," : "", kZooParameters[i], text(parameters[i].shape()));
  fmt::print("\n\nloss after          0        20        40        60 steps\n");
  fmt::print("  right    {}\n  as it is {}\n", losses(zoo, false), losses(zoo, true));
  fmt::print("\nkinds of bugs\n");
  for (const ZooKind& k : zoo_kinds())
    fmt::print("  {:<17} {}\n", std::string(name_of(k.kind)), k.what);
  fmt::print(
      "\nWhere is it, and what? Numbers:  glass zoo --seed {0} --check all, or --check PLACE\n"
      "The checker's opinion:           glass zoo --seed {0} --diagnose all, or --diagnose PLACE\n"
      "In C++: Zoo({0}).loss() of models/zoo/zoo.h is a function to check.\n"
      "Your answer:                     glass zoo --seed {0} --answer PLACE KIND\n",
      seed);
}

void show_check(const Zoo& zoo, const std::string& where, bool diagnose) {
  const GradReport report =
      where == "all" ? zoo.check_network(diagnose) : zoo.check_place(zoo_place(where), diagnose);
  fmt::print("{}", report.text());
}

bool mark(const Zoo& zoo, const std::string& place, const std::string& kind, uint64_t seed) {
  zoo_place(place);  // both must exist
  const ZooKind& what = zoo_kind(kind);
  if (!zoo.is_at(place)) {
    fmt::print("Not there: the gradient of {} is right.\n", place);
    return false;
  }
  if (!zoo.is_of(what.kind)) {
    fmt::print("{} it is, but not {}.\n", place, kind);
    return false;
  }
  fmt::print("Right: {}, {}. glass zoo --seed {} --reveal tells more.\n", place, what.what, seed);
  return true;
}

void reveal(const Zoo& zoo) {
  const ZooKind& kind = zoo_kind(std::string(name_of(zoo.bug().cause)));
  fmt::print("{}, {}: {} ({}).\n\nHow it arises: {}\n\nHow it shows: {}\n\n", zoo.place(),
             name_of(kind.kind), kind.what, zoo.bug().label, kind.arises, kind.shows);
  fmt::print("loss after          0        20        40        60 steps\n");
  fmt::print("  right    {}\n  as it is {}\n\nWhat the checker says of it:\n", losses(zoo, false),
             losses(zoo, true));
  fmt::print("{}", zoo.check_place(zoo_place(zoo.place()), true).text());
}

bool run_zoo(const ZooArguments& a) {
  if (!a.answer.empty() && a.answer.size() != 2)
    usage_error(text("--answer needs PLACE and KIND, two words, got ", a.answer.size()));
  const Zoo zoo(a.seed);
  if (!a.answer.empty()) return mark(zoo, a.answer[0], a.answer[1], a.seed);
  if (a.reveal)
    reveal(zoo);
  else if (!a.check.empty())
    show_check(zoo, a.check, false);
  else if (!a.diagnose.empty())
    show_check(zoo, a.diagnose, true);
  else
    show(zoo, a.seed);
  return true;
}

}  // namespace

void add_zoo_command(CLI::App& app) {
  auto* command = app.add_subcommand("zoo", "Find the one wrong backward in a small network");
  auto a = std::make_shared<ZooArguments>();
  command->add_option("--seed", a->seed, "Which bug")
      ->transform(within(WholeRange{0, 1000000}))
      ->required();
  std::vector<CLI::Option*> ways = {
      command->add_option("--check", a->check, "Check a place, or all: the numbers"),
      command->add_option("--diagnose", a->diagnose, "The same with what the checker thinks"),
      command->add_option("--answer", a->answer, "PLACE and KIND of the bug")->expected(1, 1000),
      command->add_flag("--reveal", a->reveal, "Explain the bug")};
  for (CLI::Option* one : ways)
    for (CLI::Option* other : ways)
      if (one != other) one->excludes(other);
  command->footer("Ends with status 1 when an answer is wrong, not when a check finds the bug.");
  command->callback([a] {
    if (!run_zoo(*a)) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
