#include <fmt/core.h>

#include <iostream>
#include <map>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/registry.h"
#include "models/report/label.h"
#include "models/verify/verify.h"

namespace glass {
namespace {

// What was found about an op, over all its files.
struct Coverages {
  int passed = 0, failed = 0, not_covered = 0, extra = 0;
  double worst = -1;  // negative: nothing was compared
  std::string reports;
};

void count(Coverages& counts, const Recorded& recorded, const Verified& result) {
  counts.worst = std::max(counts.worst, result.worst);
  if (result.coverage == Coverage::passed) {
    ++counts.passed;
    return;
  }
  ++(result.coverage == Coverage::failed ? counts.failed : counts.not_covered);
  const bool extra = result.coverage == Coverage::not_covered && recorded.tagged("extra");
  if (extra) ++counts.extra;
  counts.reports +=
      fmt::format("  {}: {}{}\n", recorded.path, result.message, extra ? " (tagged extra)" : "");
}

int run_verify(const std::vector<std::string>& paths, std::ostream& out) {
  std::map<std::string, Coverages> ops;
  for (const std::string& file : recorded_files(paths)) {
    try {
      const Recorded recorded = read_recorded(file);
      count(ops[recorded.op], recorded, verify(recorded, all_entries()));
    } catch (const Error& error) {
      Coverages& counts = ops["(unreadable)"];
      ++counts.failed;
      counts.reports += fmt::format("  {}\n", clean_text(error.what()));
    }
  }
  Coverages all;
  out << fmt::format("{:<45} {:>5} {:>11}  {}\n", "op", "cases", "worst error", "verdict");
  for (const auto& [op, counts] : ops) {
    const int cases = counts.passed + counts.failed + counts.not_covered;
    const char* verdict = counts.failed        ? "FAIL"
                          : counts.not_covered ? counts.passed ? "partly covered" : "not covered"
                                               : "PASS";
    out << fmt::format("{:<45} {:>5} {:>11}  {}\n", clean_text(op), cases,
                       counts.worst >= 0 ? fmt::format("{:.1e}", counts.worst) : "-", verdict)
        << counts.reports;
    all.passed += counts.passed;
    all.failed += counts.failed;
    all.not_covered += counts.not_covered;
    all.extra += counts.extra;
  }
  if (all.extra > 0) out << fmt::format("{} of those not covered are tagged extra\n", all.extra);
  out << fmt::format("verify: {} passed, {} failed, {} not covered\n", all.passed, all.failed,
                     all.not_covered)
      << std::flush;
  if (all.passed + all.failed == 0)
    fail("verify", "nothing was compared", all.not_covered, " cases");
  return all.failed == 0 ? 0 : 1;
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "verify", "Replay recorded calls of another framework and compare every number");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *paths, "Folders of recorded calls (*.safetensors), or single files")
      ->transform(naming("a file or a folder"))
      ->required();
  command->footer(
      "A recorded call is a safetensors file: inputs in.NAME, parameters param.NAME, outputs "
      "out.N,\n"
      "upstream gradients grad_out.N, gradients grad.NAME; metadata op, kwargs, rtol, atol.");
  command->callback([paths] {
    if (run_verify(*paths, std::cout) != 0) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
