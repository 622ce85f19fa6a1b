#include "models/cli/commands.h"

#include <iostream>
#include <memory>

#include "models/cli/gradcheck_command.h"
#include "models/registry.h"

namespace glass {

void add_gradcheck_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "gradcheck",
      "Check the derivatives of every op and layer, first and second order, against finite\n"
      "differences; or only those of the names given. Exit status 1 when one fails.");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("name", *names, "Ops or layers, e.g. tanh LSTM");
  command->callback([names] {
    const int status = run_gradcheck(all_entries(), *names, std::cout);
    std::cout.flush();
    if (status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace glass
