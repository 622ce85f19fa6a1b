// Shell completion, written from the commands and options themselves.
#include <fmt/core.h>

#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"

namespace glass {
namespace {

// The words an option takes, of the "a|b|c" that one_of() leaves in its type; none for other types.
std::string choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!type.starts_with("TEXT:")) return "";
  std::string words = type.substr(type.find(':') + 1);
  for (char& c : words) c = c == '|' ? ' ' : c;
  return words;
}

bool is_text(const CLI::Option& option) { return option.get_type_name().starts_with("TEXT"); }

// The options of a command, and a line of bash for each whose value can be completed.
struct Completions {
  std::string options, values;
};

Completions completions(const CLI::App& command) {
  Completions found;
  const std::string files = "compopt -o default 2>/dev/null";
  std::string rest = files;  // what stands for itself: the commands' texts and files
  for (const CLI::Option* option : command.get_options()) {
    const std::string words = choices(*option);
    const std::string value = words.empty() ? files : "words='" + words + "'";
    if (option->get_positional()) rest = value;
    for (const std::string& name : option->get_lnames()) {
      found.options += (found.options.empty() ? "--" : " --") + name;
      if (option->get_items_expected_max() == 0) continue;
      const std::string action = words.empty() && !is_text(*option) ? ":" : value;
      found.values += fmt::format("    '{} --{}') {} ;;\n", command.get_name(), name, action);
    }
  }
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
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
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
