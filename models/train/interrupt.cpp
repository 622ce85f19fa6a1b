#include "models/train/interrupt.h"

#include <csignal>

namespace glass {
namespace {

volatile std::sig_atomic_t flag = 0;
struct sigaction before_int, before_term;

void on_signal(int number) {
  flag = 1;
  if (number == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, &before_int);
  sigaction(SIGTERM, &action, &before_term);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

bool InterruptGuard::interrupted() { return flag != 0; }

}  // namespace glass
