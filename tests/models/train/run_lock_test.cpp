#include "models/train/run_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "tests/catch.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("RunLock: one at a time, and the folder is named", "[run_lock]") {
  const tests::Scratch folder;
  auto first = std::make_unique<RunLock>(folder.path());
  CHECK_THROWS_WITH(RunLock(folder.path()),
                    ContainsSubstring("another training is writing into it: " + folder.path()));
  first.reset();
  const RunLock again(folder.path());
  CHECK_THROWS_WITH(RunLock(folder / "none"), ContainsSubstring("cannot be written"));
}

TEST_CASE("RunLock: a process that was killed holds nothing", "[run_lock]") {
  const tests::Scratch folder;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const RunLock lock(folder.path());
    static_cast<void>(!write(ready[1], "x", 1));
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_WITH(RunLock(folder.path()), ContainsSubstring("another training"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const RunLock again(folder.path());
  close(ready[0]);
  close(ready[1]);
}
