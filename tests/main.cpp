// The test program: Catch2's runner, then one closing line: "N passed, N failed, N skipped".
// Catch2 2 knows no skipped tests, and each version closes in words of its own.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

#include <csignal>
#include <cstdio>
#include <string>

#include "tests/skip.h"

namespace {

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  std::string running;
  bool running_skips = false;
  bool ran = false;
} tally;

void close() {
  std::printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
  std::fflush(stdout);
}

struct Counter : Listener {
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    Listener::testCaseStarting(info);
    tally.running = info.name;
    tally.running_skips = false;
    tally.ran = true;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    Listener::testCaseEnded(stats);
    if (stats.totals.testCases.failed > 0) {
      ++tally.failed;
    } else if (tally.running_skips) {
      ++tally.skipped;
    } else {
      ++tally.passed;
    }
  }
};
CATCH_REGISTER_LISTENER(Counter)

// Invariant: Catch2 reports a crash as a failed test, restores these handlers and raises again.
void close_after_crash(int signal) {
  close();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void glass::tests::skip(const std::string& reason) {
  std::printf("skipped: %s: %s\n", tally.running.c_str(), reason.c_str());
  tally.running_skips = true;
}

int main(int argc, char** argv) {
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, close_after_crash);
  const int status = Catch::Session().run(argc, argv);
  if (tally.ran) close();
  return status;
}
