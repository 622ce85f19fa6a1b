#include "models/cli/program.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/report/label.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr int kFailed = 1, kUsage = 2, kBug = 70;

// Messages may quote what a file or an argument holds: nothing of it may steer the terminal.
int say(const std::string& message, int status) {
  fmt::print(stderr, "glass: {}\n", clean_text(message));
  return status;
}

int run(CLI::App& app, int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  const std::string word = argv[1];
  if (!word.starts_with("-") && !is_command(app, word))
    return say(unknown_command(app, word), kUsage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::RuntimeError& e) {
    return e.get_exit_code();
  } catch (const CLI::ParseError& e) {
    return say(usage_text(app, e), kUsage);
  } catch (const Error& e) {
    return say(e.what(), e.kind() == ErrorKind::bug ? kBug : kFailed);
  } catch (const std::exception& e) {
    return say(e.what(), kFailed);
  }
  return 0;
}

// A full disk or a closed pipe shows itself only now: what was not written is a failure.
int delivered(int status) {
  errno = 0;
  std::cout.flush();
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (!lost || status != 0) return status;
  return say(text("standard output: could not be written", errno != 0 ? ": " : "",
                  errno != 0 ? std::strerror(errno) : ""),
             kFailed);
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app{"Glass: deep learning with the lid off", "glass"};
  app.require_subcommand(1);
  add_demo_command(app);
  add_train_command(app);
  add_translate_command(app);
  add_gradcheck_command(app);
  add_verify_command(app);
  add_reference_command(app);
  add_info_command(app);
  return delivered(run(app, argc, argv));
}

}  // namespace glass
