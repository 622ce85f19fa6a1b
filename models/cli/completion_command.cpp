// Shell completion, written from the commands and options themselves.
#include <fmt/core.h>

#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/metrics/scores.h"
#include "models/names.h"
#include "models/registry.h"
#include "models/zoo/zoo.h"

namespace glass {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) { return listed(words, " ", " "); }

// What is offered for options whose help does not list all that they take.
Words known_words(const std::string& option) {
  Words words;
  if (option == "gradcheck name") {
    for (const Entry& entry : all_entries()) words.push_back(entry.name);
  } else if (option == "score --metric") {
    for (const MetricInfo& info : all_metrics()) words.push_back(info.name);
  } else if (option == "attend --head") {
    words = {"mean", "all"};
  } else if (option == "zoo --check" || option == "zoo --diagnose" || option == "zoo --answer") {
    for (const ZooPlace& place : zoo_places()) words.push_back(place.name);
    if (option != "zoo --answer") words.emplace_back("all");
  }
  return words;
}

// The words an option takes: those, or of the "a|b|c" that one_of() leaves in its type; none for
// other types.
std::string choices(const std::string& command, const CLI::Option& option) {
  const Words known = known_words(command + " " + option.get_name());
  if (!known.empty()) return joined(known);
  const std::string type = option.get_type_name();
  if (!type.starts_with("TEXT:")) return "";
  std::string words = type.substr(type.find(':') + 1);
  for (char& c : words) c = c == '|' ? ' ' : c;
  return words;
}

bool is_text(const CLI::Option& option) { return option.get_type_name().starts_with("TEXT"); }

// Behind zoo --answer PLACE stands a kind.
std::string second_answer() {
  Words kinds;
  for (const ZooKind& kind : zoo_kinds()) kinds.emplace_back(name_of(kind.kind));
  return "if [[ ${COMP_WORDS[COMP_CWORD-2]} == --answer ]]; then words='" + joined(kinds) + "'; fi";
}

// The options of a command, and a line of bash for each whose value can be completed.
struct Completions {
  std::string options, values;
};

Completions completions(const CLI::App& command) {
  Completions found;
  const std::string files = "compopt -o default 2>/dev/null";
  std::string rest = files;  // what stands for itself: the commands' texts and files
  for (const CLI::Option* option : command.get_options()) {
    const std::string words = choices(command.get_name(), *option);
    std::string value = words.empty() ? files : "words='" + words + "'";
    if (command.get_name() + " " + option->get_name() == "train --captions")
      value = "words=$(_glass_columns)";
    if (option->get_positional()) rest = value;
    for (const std::string& name : option->get_lnames()) {
      found.options += (found.options.empty() ? "--" : " --") + name;
      if (option->get_items_expected_max() == 0) continue;
      const std::string action = words.empty() && !is_text(*option) ? ":" : value;
      found.values += fmt::format("    '{} --{}') {} ;;\n", command.get_name(), name, action);
    }
  }
  if (command.get_name() == "zoo") rest = second_answer();
  found.values += fmt::format("    '{} '*) {} ;;\n", command.get_name(), rest);
  return found;
}

std::string bash_script(const CLI::App& app) {
  std::string commands, options, values;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const Completions found = completions(*command);
    commands += command->get_name() + " ";
    options += fmt::format("    {}) words='{}' ;;\n", command->get_name(), found.options);
    values += found.values;
  }
  return "# Bash completion of glass. Once: source <(glass completion bash)\n"
         "_glass_columns() {\n"  // of captions, as the header of train's --data has them
         "  local i file columns column\n"
         "  for ((i = 1; i < ${#COMP_WORDS[@]}; ++i)); do\n"
         "    if [[ ${COMP_WORDS[i]} != --data ]]; then continue; fi\n"
         "    file=${COMP_WORDS[i+1]}\n"
         "    if [[ $file == = ]]; then file=${COMP_WORDS[i+2]}; fi\n"
         "    file=${file/#\\~/$HOME}\n"
         "    if [[ ! -f $file ]]; then continue; fi\n"
         "    IFS=$'\\t' read -ra columns <\"$file\"\n"
         "    if [[ ${columns[0]} != image ]]; then continue; fi\n"
         "    for column in \"${columns[@]:1}\"; do\n"
         "      if [[ ${column%$'\\r'} != split ]]; then echo \"${column%$'\\r'}\"; fi\n"
         "    done\n"
         "  done\n"
         "}\n"
         "_glass() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  local command=${COMP_WORDS[1]}\n"
         "  if [[ $word == = ]]; then\n"  // bash splits --option=value in three
         "    word=\n"
         "  elif [[ $before == = ]]; then\n"
         "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  if ((COMP_CWORD == 1)); then words='" +
         commands +
         "help --help --version'\n"
         "  elif [[ $command == help ]]; then words='" +
         commands +
         "'\n"
         "  elif [[ $word == -* ]]; then case $command in\n" +
         options +
         "    esac\n"
         "  else case \"$command $before\" in\n" +
         values +
         "    esac\n"
         "  fi\n"
         "  local list=\n"
         "  if [[ $words && $word == *,* ]]; then\n"  // the next of a list
         "    list=${word%,*},\n"
         "    word=${word##*,}\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -P \"$list\" -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _glass glass\n";
}

}  // namespace

void add_completion_command(CLI::App& app) {
  auto* command = app.add_subcommand("completion",
                                     "Print a script that completes commands and "
                                     "options in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash")->transform(one_of({"bash"}))->required();
  command->footer("Put this into ~/.bashrc:  source <(glass completion bash)");
  command->callback([&app, shell] { fmt::print("{}", bash_script(app)); });
}

}  // namespace glass
