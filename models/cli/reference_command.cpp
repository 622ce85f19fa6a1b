#include <fmt/core.h>

#include "models/cli/commands.h"
#include "models/reference.h"
#include "models/registry.h"

namespace glass {

void add_reference_command(CLI::App& app) {
  app.add_subcommand("reference",
                     "Print every op and layer with its call, formula, derivative and rules\n"
                     "(Markdown); runs where Glass's sources are")
      ->callback(
          [] { fmt::print("{}", reference_markdown(all_entries(), Signatures::read("."))); });
}

}  // namespace glass
