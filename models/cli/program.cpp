#include "models/cli/program.h"

#include <fmt/core.h>

#include "models/cli/commands.h"
#include "tensor/error.h"

namespace glass {

int run_program(int argc, char** argv) {
  CLI::App app{"Glass: deep learning with the lid off", "glass"};
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  add_demo_command(app);
  add_train_command(app);
  add_translate_command(app);
  add_gradcheck_command(app);
  add_verify_command(app);
  add_info_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const Error& e) {
    fmt::print(stderr, "glass: {}\n", e.what());
    return e.kind() == ErrorKind::bug ? 70 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "glass: {}\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace glass
