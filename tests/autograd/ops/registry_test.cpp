// Every public function of autograd/ops has an Entry, and every Entry a function.
#include "autograd/registry.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/catch.h"

using namespace glass;

namespace {

std::string without_comments(const std::string& code) {
  return std::regex_replace(code, std::regex("//[^\n]*"), "");
}

// Functions a header declares: a name, then a parenthesis and an argument that holds a Var.
std::set<std::string> functions_in(const std::filesystem::path& header) {
  std::ifstream file(header);
  std::stringstream text;
  text << file.rdbuf();
  const std::string code = without_comments(text.str());
  const std::regex declaration(
      R"((\w+)\((In|const Var&|const Vars&|const std::vector<Var>&|std::span<const Var>) \w+)");
  std::set<std::string> found;
  for (std::sregex_iterator i(code.begin(), code.end(), declaration), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

std::set<std::string> declared() {
  std::set<std::string> all;
  const std::filesystem::path folder = std::filesystem::path(GLASS_SOURCE_DIR) / "autograd/ops";
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".h")
      for (const std::string& name : functions_in(file.path())) all.insert(name);
  return all;
}

// The function of an entry, which has PyTorch's name: without its namespace, and not one that C++
// keeps for itself.
std::string function_of(const std::string& name) {
  return name == "std" ? "standard_deviation" : name.substr(name.rfind('.') + 1);
}

std::set<std::string> registered() {
  std::set<std::string> names;
  for (const Entry& entry : op_entries()) names.insert(function_of(entry.name));
  return names;
}

// Parts of another function's definition, declared for its file alone.
const std::set<std::string> kInternal = {};

std::vector<std::string> missing(const std::set<std::string>& from,
                                 const std::set<std::string>& in) {
  std::vector<std::string> names;
  for (const std::string& name : from)
    if (!in.count(name) && !kInternal.count(name)) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("the search for public functions finds them", "[registry]") {
  const auto names = declared();
  for (const char* name : {"add", "tanh", "where", "softmax", "embedding", "cat", "max", "linear"})
    CHECK(names.count(name) == 1);
  CHECK(names.count("operator") == 0);
}

TEST_CASE("every public function of autograd/ops is registered", "[registry]") {
  CHECK(missing(declared(), registered()) == std::vector<std::string>{});
}

TEST_CASE("every entry of the registry is a public function", "[registry]") {
  CHECK(missing(registered(), declared()) == std::vector<std::string>{});
}

TEST_CASE("entries are complete and unique", "[registry]") {
  std::set<std::string> names;
  for (const Entry& entry : op_entries()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(!entry.formula.empty());
    CHECK(!entry.gradient.empty());
    CHECK(!entry.samples.empty());
    CHECK(!entry.errors.empty());
    bool defined = false;
    std::set<std::string> labels;
    for (const Sample& sample : entry.samples) {
      INFO(sample.label);
      CHECK(labels.insert(sample.label).second);
      CHECK((sample.reference || sample.definition));
      defined = defined || sample.definition;
    }
    CHECK((defined || entry.kind != EntryKind::fused));
    for (const ErrorRow& row : entry.errors) CHECK(!row.message.empty());
  }
}
