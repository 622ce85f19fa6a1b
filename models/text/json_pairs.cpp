// Pairs from JSON Lines.
#include "models/json.h"
#include "models/text/pairs.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

// A text, or the texts of a list; nothing where it is neither.
std::vector<std::string> texts(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end()) return {};
  if (found->is_string()) return {found->get<std::string>()};
  if (!found->is_array()) return {};
  std::vector<std::string> all;
  for (const Json& part : *found) {
    if (!part.is_string()) return {};
    all.push_back(part.get<std::string>());
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    const std::string_view words = trim(part);
    if (!words.empty()) text.append(text.empty() ? "" : " ").append(words);
  }
  return text;
}

}  // namespace

std::vector<Pair> json_pairs(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return {};
  const std::string source = joined(texts(object, "source"));
  std::vector<Pair> pairs;
  for (const std::string& target : texts(object, "target"))
    if (!source.empty() && !trim(target).empty())
      pairs.push_back({source, std::string(trim(target))});
  return pairs;
}

}  // namespace glass
