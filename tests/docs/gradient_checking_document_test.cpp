// docs/gradient_checking.md prints what its code prints, and its commands run.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <regex>
#include <sstream>

#include "tests/catch.h"
#include "tests/docs/gradient_checking_lesson.h"
#include "tests/ground/files.h"
#include "tests/models/cli/program.h"

using namespace glass;
using namespace glass::tests;

namespace {

// A text whose numbers were taken out: the rounding noise in them differs between machines.
struct Printed {
  std::string words;
  std::vector<double> numbers;
};

Printed without_numbers(const std::string& text) {
  static const std::regex number(R"([-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|\binf\b)");
  Printed printed;
  for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i)
    printed.numbers.push_back(std::stod(i->str()));
  printed.words = std::regex_replace(std::regex_replace(text, number, "#"), std::regex(" +"), " ");
  return printed;
}

bool alike(double a, double b) {
  const double small = std::min(std::abs(a), std::abs(b)),
               large = std::max(std::abs(a), std::abs(b));
  return large < 1e-6 || std::abs(a - b) <= 0.02 * large || (large < 1e-2 && large < 300 * small);
}

bool alike(const std::string& a, const std::string& b) {
  const Printed one = without_numbers(a), other = without_numbers(b);
  return one.words == other.words &&
         std::equal(one.numbers.begin(), one.numbers.end(), other.numbers.begin(),
                    other.numbers.end(), [](double x, double y) { return alike(x, y); });
}

// What stands in fences without a language.
std::vector<std::string> printed_blocks(const std::string& text) {
  std::vector<std::string> blocks;
  std::istringstream lines(text);
  std::string block, language;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) != 0) {
      if (inside) block += line + "\n";
      continue;
    }
    if (inside && language.empty()) blocks.push_back(block);
    if (!inside) language = line.substr(3);
    block.clear();
    inside = !inside;
  }
  return blocks;
}

}  // namespace

TEST_CASE("the lesson on gradient checking prints what its code prints", "[docs][gradcheck]") {
  const std::vector<std::string> shown =
      printed_blocks(read_text(source_root() / "docs/gradient_checking.md"));
  const std::vector<std::string> printed = gradcheck_lesson::outputs();
  CHECK(shown.size() == printed.size());
  for (size_t i = 0; i < std::min(shown.size(), printed.size()); ++i) {
    INFO("block " << i << " should be:\n" << printed[i] << "but is:\n" << shown[i]);
    CHECK(alike(shown[i], printed[i]));
  }
  CHECK_FALSE(alike("sign 1.9", "sign 2.1"));
  CHECK_FALSE(alike("sign 1.9", "factor 1.9"));
  CHECK(alike("residual 3e-09", "residual 8e-10"));
}

TEST_CASE("the commands in the lesson on gradient checking exist", "[docs][gradcheck]") {
  std::istringstream lines(read_text(source_root() / "docs/gradient_checking.md"));
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("    ./glass ", 0) != 0) continue;
    ++commands;
    std::istringstream words(line.substr(12));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    if (arguments.back() == "--mutants" || arguments.back() == "--models" ||
        arguments.back() == "gradcheck")
      arguments.push_back("--help");  // they take a while
    INFO(line);
    CHECK(program(arguments).status != 2);
  }
  CHECK(commands >= 6);
}
