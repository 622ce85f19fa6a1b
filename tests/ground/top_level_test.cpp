#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"

using namespace glass::tests;

namespace {

const std::set<std::string> kTopLevel = {"tensor",
                                         "autograd",
                                         "nn",
                                         "optim",
                                         "models",
                                         "tests",
                                         "bench",
                                         "docs",
                                         "CMakeLists.txt",
                                         "glass",
                                         "CMakePresets.json",
                                         "README.md",
                                         "LICENSE"};

// The top-level names of a list of paths, one a line, that are neither dot-files nor of the plan.
std::set<std::string> strangers(const std::string& listing) {
  std::set<std::string> found;
  std::istringstream paths(listing);
  for (std::string path; std::getline(paths, path);) {
    const std::string name = path.substr(0, path.find('/'));
    if (!name.empty() && name[0] != '.' && kTopLevel.count(name) == 0) found.insert(name);
  }
  return found;
}

}  // namespace

TEST_CASE("the top level holds only what the plan of the house names", "[ground]") {
  const Outcome tracked = run("git -C " + quoted(source_root().string()) + " ls-files");
  if (tracked.status != 0) return skip("this is no checkout of git");
  CHECK(strangers(tracked.output) == std::set<std::string>{});
}

TEST_CASE("the top level check sees planted strangers", "[ground]") {
  CHECK(strangers("tensor/a.h\n.ci/run\nLICENSE\nglass\n") == std::set<std::string>{});
  CHECK(strangers("util/a.h\nutil/b.h\ntensor/c.h\nnotes.txt\n") ==
        std::set<std::string>{"util", "notes.txt"});
}
