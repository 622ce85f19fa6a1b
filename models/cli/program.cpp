#include "models/cli/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/report/label.h"
#include "models/train/interrupt.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr int kFailed = 1, kUsage = 2, kBug = 70;

// Messages may quote what a file or an argument holds: nothing of it may steer the terminal.
int say(const std::string& message, int status) {
  fmt::print(stderr, "glass: {}\n", clean_text(message));
  return status;
}

int run(CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  if (words[0] == "help") {  // help COMMAND is COMMAND --help
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  if (!words[0].starts_with("-") && !is_command(app, words[0]))
    return say(unknown_command(app, words[0]), kUsage);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const Interrupted& e) {
    return say(e.what(), e.status());
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
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further fails like a full disk
  CLI::App app{"Glass: deep learning with the lid off", "glass"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "glass " GLASS_VERSION, "Print the version and exit");
  app.footer(
      "glass help COMMAND shows a command's options. Exit status: 0 done, 1 failed, 2 wrong\n"
      "arguments, 130 stopped by Ctrl-C.");
  add_demo_command(app);
  add_train_command(app);
  add_translate_command(app);
  add_attend_command(app);
  add_eval_command(app);
  add_bias_command(app);
  add_audit_command(app);
  add_score_command(app);
  add_diagnose_command(app);
  add_gradcheck_command(app);
  add_zoo_command(app);
  add_verify_command(app);
  add_reference_command(app);
  add_completion_command(app);
  add_info_command(app);
  refuse_values_of_flags(app);
  return delivered(run(app, {argv + std::min(argc, 1), argv + argc}));
}

}  // namespace glass
