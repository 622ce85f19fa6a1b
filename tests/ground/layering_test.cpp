// The arrows of the house run one way: models -> optim, nn -> autograd -> tensor.

#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass::tests;

namespace {

using Lines = std::vector<std::string>;

const std::map<std::string, std::set<std::string>> kMayUse = {
    {"tensor", {"tensor"}},
    {"autograd", {"autograd", "tensor"}},
    {"nn", {"nn", "autograd", "tensor"}},
    {"optim", {"optim", "autograd", "tensor"}},
    {"models", {"models", "nn", "optim", "autograd", "tensor"}},
};

const std::set<std::string> kOurs = {"tensor", "autograd", "nn",   "optim",
                                     "models", "tests",    "bench"};

// The target of a line `#include "TARGET"` or `#include <TARGET>` with its opening mark, or "".
std::string include_target(std::string line) {
  const std::string directive = "#include";
  std::erase_if(line, [](unsigned char letter) { return std::isspace(letter); });
  if (line.rfind(directive, 0) != 0 || line.size() == directive.size()) return "";
  const std::string target = line.substr(directive.size());
  return target.substr(0, target.find_first_of("\">", 1));
}

// The includes of a file of `folder` that it may not have, each as "line N: TARGET".
Lines forbidden_includes(const std::string& folder, const std::string& text) {
  Lines found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string include = include_target(line);
    if (include.empty()) continue;
    const std::string target = include.substr(1);
    const std::string first = target.substr(0, target.find('/'));
    const bool inside = include[0] == '"' || kOurs.count(first) > 0 || first == "..";
    if (inside && kMayUse.at(folder).count(first) == 0) {
      found.push_back("line " + std::to_string(number) + ": " + target);
    }
  }
  return found;
}

// The links of `glass_folder(NAME glass_OTHER ...)` that point upward, each as "NAME: glass_OTHER".
Lines forbidden_links(const std::string& cmake) {
  const std::string call = "glass_folder(";
  Lines found;
  for (size_t at = cmake.find(call); at != std::string::npos; at = cmake.find(call, at + 1)) {
    const size_t start = at + call.size();
    std::istringstream words(cmake.substr(start, cmake.find(')', start) - start));
    std::string name, link;
    words >> name;
    while (kMayUse.count(name) > 0 && words >> link) {
      const bool ours = link.rfind("glass_", 0) == 0;
      if (ours && kMayUse.at(name).count(link.substr(6)) == 0) found.push_back(name + ": " + link);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no source includes upward", "[ground]") {
  for (const auto& [folder, may_use] : kMayUse) {
    for (const auto& path : source_files({folder})) {
      INFO(path.string());
      CHECK(forbidden_includes(folder, read_text(path)) == Lines{});
    }
  }
}

TEST_CASE("every folder's target links only folders below it", "[ground]") {
  const std::string cmake = read_text(source_root() / "CMakeLists.txt");
  for (const auto& [folder, may_use] : kMayUse) {
    CHECK_THAT(cmake, Catch::Matchers::ContainsSubstring("glass_folder(" + folder));
  }
  CHECK(forbidden_links(cmake) == Lines{});
}

TEST_CASE("the layering check sees planted upward includes", "[ground]") {
  CHECK(
      forbidden_includes("tensor", "#include \"tensor/shape.h\"\n#include \"autograd/var.h\"\n") ==
      Lines{"line 2: autograd/var.h"});
  CHECK(forbidden_includes("autograd", "  #  include <nn/module.h>\n") ==
        Lines{"line 1: nn/module.h"});
  CHECK(forbidden_includes("nn", "#include \"optim/sgd.h\"") == Lines{"line 1: optim/sgd.h"});
  CHECK(forbidden_includes("optim", "#include \"nn/module.h\"") == Lines{"line 1: nn/module.h"});
  CHECK(forbidden_includes("nn", "#include \"../models/text.h\"") ==
        Lines{"line 1: ../models/text.h"});
  CHECK(forbidden_includes("nn", "#include\"models/text.h\"") == Lines{"line 1: models/text.h"});
  CHECK(forbidden_includes("models", "#include \"tests/catch.h\"") ==
        Lines{"line 1: tests/catch.h"});
  CHECK(forbidden_includes("nn", "#include \"linear.h\"") == Lines{"line 1: linear.h"});
  CHECK(forbidden_includes("models",
                           "#include \"nn/lstm.h\"\n#include <vector>\n"
                           "#include <sys/wait.h>\n// #include \"tests/catch.h\"\n") == Lines{});
}

TEST_CASE("the layering check sees planted upward links", "[ground]") {
  CHECK(forbidden_links("glass_folder(tensor Threads::Threads)\nglass_folder(nn glass_autograd)") ==
        Lines{});
  CHECK(forbidden_links("glass_folder(autograd glass_tensor\n  glass_nn)") ==
        Lines{"autograd: glass_nn"});
}
