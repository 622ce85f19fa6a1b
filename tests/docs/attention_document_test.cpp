// docs/attention.md and docs/zh/attention.md: the same code, the same numbers, and none of them
// made up.
#include <algorithm>
#include <iomanip>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/docs/attention_lesson.h"
#include "tests/ground/files.h"
#include "tests/models/cli/program.h"

using namespace glass;
using namespace glass::tests;
using namespace glass::attention_lesson;

namespace {

const char* const kDocuments[] = {"docs/attention.md", "docs/zh/attention.md"};

// What stands in fences of a language, and what stands in none.
struct Document {
  std::vector<std::string> code, output;
  std::string prose;
};

Document parse(const std::string& text) {
  Document document;
  std::istringstream lines(text);
  std::string line, block, language;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.rfind("```", 0) != 0) {
      (inside ? block : document.prose) += line + "\n";
      continue;
    }
    if (inside) (language == "cpp" ? document.code : document.output).push_back(block);
    if (!inside) language = line.substr(3);
    block.clear();
    inside = !inside;
  }
  return document;
}

// Numbers with a decimal point, without those of papers (§3.1, arXiv:1409.0473).
std::set<std::string> decimals(const std::string& text) {
  static const std::regex reference("(§|arXiv:)[0-9A-Z.]+"), number("[0-9]+\\.[0-9]+");
  const std::string plain = std::regex_replace(text, reference, "");
  return {std::sregex_token_iterator(plain.begin(), plain.end(), number),
          std::sregex_token_iterator()};
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("the documents of attention print what their code prints", "[docs][attention]") {
  std::vector<std::string> printed = slot_outputs();
  for (std::string& output : trap_outputs()) printed.push_back(std::move(output));
  for (const char* path : kDocuments) {
    const Document document = parse(read_text(source_root() / path));
    for (const std::string& output : printed) {
      INFO(path << " should show:\n" << output);
      CHECK(std::count(document.output.begin(), document.output.end(), output) == 1);
    }
    CHECK(document.output.size() == printed.size());
  }
}

TEST_CASE("numbers in the text about attention come from its code", "[docs][attention]") {
  std::set<std::string> both[2];
  for (size_t i = 0; i < 2; ++i) {
    const Document document = parse(read_text(source_root() / kDocuments[i]));
    std::set<std::string> known;
    for (const auto& part : {document.code, document.output})
      for (const std::string& block : part) known.merge(decimals(block));
    both[i] = decimals(document.prose);
    for (const std::string& number : both[i]) {
      INFO(kDocuments[i] << ": " << number);
      CHECK(known.count(number) == 1);
    }
  }
  CHECK(both[0] == both[1]);
}

TEST_CASE("both languages tell as much about attention", "[docs][attention]") {
  std::string texts[2];
  for (size_t i = 0; i < 2; ++i) texts[i] = read_text(source_root() / kDocuments[i]);
  CHECK(parse(texts[0]).code == parse(texts[1]).code);
  CHECK(parse(texts[0]).output == parse(texts[1]).output);
  for (const char* part : {"\n## ", "\n### ", "![", "\n|", "arXiv:"}) {
    INFO(part);
    CHECK(count(texts[0], part) == count(texts[1], part));
  }
}

TEST_CASE("the commands in the text about attention make sense", "[docs][attention]") {
  for (const char* path : kDocuments) {
    std::istringstream lines(read_text(source_root() / path));
    int commands = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("    ./glass ", 0) != 0) continue;
      ++commands;
      std::istringstream words(line.substr(12));
      std::vector<std::string> arguments;
      for (std::string word; words >> std::quoted(word);)
        arguments.push_back(word == "runs/demo" ? "no/such/run" : word);
      const Output run = program(arguments);
      INFO(line << "\n" << run.err);
      CHECK(run.status == 1);  // only the data or the run are missing
      const bool missing = run.err.find("pairs.tsv: No such file") != std::string::npos ||
                           run.err.find("does not exist: no/such/run") != std::string::npos;
      CHECK(missing);
    }
    CHECK(commands == 6);
  }
}
