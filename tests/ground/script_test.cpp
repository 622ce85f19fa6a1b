// ./glass on machines that lack packages, played by stubs of the system's commands.

#include <unistd.h>

#include <fstream>
#include <map>

#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

using Stubs = std::map<std::string, std::string>;  // a command's name and its shell script

// A folder of shell scripts that stand before the system's own commands.
class Stage {
 public:
  explicit Stage(const Stubs& stubs)
      : folder_(fs::temp_directory_path() / ("glass script " + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "bin");
    for (const auto& [name, body] : stubs) {
      std::ofstream(folder_ / "bin" / name) << "#!/bin/sh\n" << body << "\n";
      fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
    }
  }
  ~Stage() { fs::remove_all(folder_); }
  Stage(const Stage&) = delete;

  Outcome glass(const std::string& arguments) const {
    return run("cd / && LOG=" + quoted((folder_ / "log").string()) +
               " GLASS_BUILD=" + quoted((folder_ / "build").string()) +
               " PATH=" + quoted((folder_ / "bin").string()) + ":\"$PATH\" " +
               quoted((source_root() / "glass").string()) + " " + arguments);
  }
  std::string log() const { return read_text(folder_ / "log"); }

 private:
  fs::path folder_;
};

// What dpkg-query says where all packages but one are there.
const std::string kAllButCli11 =
    "for p in g++ g++-12 cmake ninja-build pkg-config libopenblas-dev libfmt-dev "
    "nlohmann-json3-dev "
    "zlib1g-dev libpng-dev libjpeg-dev catch2 libbenchmark-dev; do printf '%s=installed ' $p; done";

}  // namespace

TEST_CASE("the script prints the one command where it may not install", "[ground]") {
  const Stage stage({{"dpkg-query", kAllButCli11},
                     {"id", "echo 1000"},
                     {"sudo", "exit 1"},
                     {"apt-get", "echo called >> \"$LOG\""}});
  const Outcome outcome = stage.glass("info");
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output,
             ContainsSubstring("sudo sh -c 'apt-get update && apt-get install -y libcli11-dev'\n"));
  CHECK_THROWS(stage.log());  // nothing was called
}

TEST_CASE("the script fetches the lists of packages once and installs as root", "[ground]") {
  const Stage stage({{"dpkg-query", kAllButCli11},
                     {"id", "echo 0"},
                     {"cmake", "echo no cmake here; exit 1"},
                     {"apt-get",
                      "echo \"$DEBIAN_FRONTEND $*\" >> \"$LOG\"\n"
                      "case $* in *update*) touch \"$LOG.lists\" ;; esac\n"
                      "test -e \"$LOG.lists\""}});
  const Outcome outcome = stage.glass("info");
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK(stage.log() ==
        "noninteractive -q -y --no-install-recommends install libcli11-dev\n"
        "noninteractive -q -y --no-install-recommends update\n"
        "noninteractive -q -y --no-install-recommends install libcli11-dev\n");
  CHECK_THAT(outcome.output, ContainsSubstring("no cmake here"));  // it went on to build
}

TEST_CASE("the script shows what apt said where the installation fails", "[ground]") {
  const Stage stage({{"dpkg-query", kAllButCli11},
                     {"id", "echo 0"},
                     {"cmake", "echo no cmake here; exit 1"},
                     {"apt-get", "echo E: out of disk; exit 100"}});
  const Outcome outcome = stage.glass("info");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("E: out of disk"));
  CHECK_THAT(outcome.output, !ContainsSubstring("no cmake here"));
}

TEST_CASE("the script without a command shows help and builds nothing", "[ground]") {
  const Stage stage(Stubs{{"cmake", "echo no cmake here; exit 1"}});
  for (const char* arguments : {"", "help", "--help"}) {
    const Outcome outcome = stage.glass(arguments);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("./glass demo"));
  }
}
