#include "models/names.h"

#include <algorithm>
#include <cctype>

#include "models/metrics/edit_distance.h"

namespace glass {
namespace {

std::string small(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

int64_t distance(const std::string& name, const std::string& typed) {
  if (name == typed) return 0;
  if (name.find(typed) != std::string::npos) return 1;
  return edit_distance(std::vector<char>(typed.begin(), typed.end()),
                       std::vector<char>(name.begin(), name.end()));
}

}  // namespace

std::string listed(const std::vector<std::string>& words, const std::string& last,
                   const std::string& between) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? last : between) + words[i];
  return list;
}

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string did_you_mean(const std::vector<std::string>& names, const std::string& typed) {
  if (typed.empty()) return "";
  const auto farthest = std::max<int64_t>(2, static_cast<int64_t>(typed.size()) / 3);
  std::vector<std::pair<int64_t, std::string>> near;
  for (const std::string& name : names)
    if (const int64_t far = distance(small(name), small(typed)); far <= farthest)
      near.emplace_back(far, name);
  std::sort(near.begin(), near.end());
  while (!near.empty() && near.back().first > near.front().first + 1) near.pop_back();
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 5); ++i) nearest.push_back(near[i].second);
  return nearest.empty() ? "" : "; did you mean " + listed(nearest, " or ") + "?";
}

}  // namespace glass
