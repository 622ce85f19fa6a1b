#include "models/train/interrupt.h"

#include <csignal>

namespace glass {
namespace {

volatile std::sig_atomic_t met = 0;  // the signal's number
int guards = 0;
struct sigaction before_int, before_term;

void on_signal(int number) {
  met = number;
  if (number == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interrupted::Interrupted(const std::string& message)
    : std::runtime_error(message), status_(128 + met) {}

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  met = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // what is being read is read on
  sigaction(SIGINT, &action, &before_int);
  sigaction(SIGTERM, &action, &before_term);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

bool InterruptGuard::interrupted() { return met != 0; }

void InterruptGuard::check(const std::string& message) {
  if (interrupted()) throw Interrupted(message);
}

}  // namespace glass
