#include "models/cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/metrics/edit_distance.h"
#include "models/report/label.h"

namespace glass {
namespace {

constexpr double kUnlimited = 1e6;  // an end that the help need not name

std::string shown(const std::string& typed) {
  return typed.empty() ? "an empty text" : shorten(clean_text(typed), 40);
}

std::string wrong(const std::string& wanted, const std::string& typed) {
  return "must be " + wanted + ", got " + shown(typed);
}

// A range as the help shows it: "1..64", "0..<1", and ">0" where the other end does not matter.
std::string span(double low, bool above, double high, bool below) {
  if (high >= kUnlimited) return fmt::format("{}{}", above ? ">" : ">=", low);
  return fmt::format("{}{}..{}{}", above ? ">" : "", low, below ? "<" : "", high);
}

template <class T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

std::string listed(const std::vector<std::string>& words, const std::string& last,
                   const std::string& between = ", ") {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? last : between) + words[i];
  return list;
}

std::vector<std::string> commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// What CLI11 could not place: an option that is none, or an argument too many.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  for (const std::string& typed : rest) {
    if (!typed.starts_with("-")) continue;
    const std::string name = typed.substr(0, typed.find('='));
    std::vector<std::string> options;
    for (const CLI::Option* option : app.get_options()) options.push_back(option->get_name());
    return "there is no option " + shown(name) + did_you_mean(options, name);
  }
  return "an argument too many: " + (rest.empty() ? std::string("?") : shown(rest.front()));
}

std::string problem(const CLI::App& app, const CLI::ParseError& error) {
  const bool no_command = app.get_parent() == nullptr && !app.remaining().empty();
  if (no_command || dynamic_cast<const CLI::ExtrasError*>(&error)) return unexpected(app);
  const std::string text = error.what();
  const size_t colon = text.find(": ");  // CLI11 writes "--name: what is wrong"
  if (!text.starts_with("-") || colon == std::string::npos || text.find(' ') < colon) return text;
  const std::string name = text.substr(0, colon), rest = text.substr(colon + 2);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return name + (rest.starts_with("At Most") ? " is given more than once" : " needs a value");
  return name + " " + rest;
}

}  // namespace

CLI::Validator within(const WholeRange& range) {
  const auto check = [range](std::string& text) {
    uint64_t value = 0;
    if (!parse(text, value) || !range.holds(value)) return wrong(range.text(), text);
    text = std::to_string(value);  // CLI11 would read 010 as 8
    return std::string();
  };
  const auto low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  return {check, span(low, false, high, false)};
}

CLI::Validator within(const NumberRange& range) {
  const auto check = [range](std::string& text) {
    double value = 0;
    const bool fits = parse(text, value) && range.holds(value);
    return fits ? std::string() : wrong(range.text(), text);
  };
  return {check, span(range.low, range.above_low, range.high, range.below_high)};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](std::string& text) {
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    return known ? std::string() : wrong(listed(words, " or "), text);
  };
  return {check, listed(words, "|", "|")};
}

CLI::Validator naming(const std::string& what) {
  const auto check = [what](std::string& text) {
    return text.empty() ? "must name " + what + ", got an empty text" : std::string();
  };
  return {check, ""};
}

void usage_error(const std::string& text) {
  throw CLI::ValidationError(text, CLI::ExitCodes::ValidationError);
}

std::string usage_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return problem(app, error) + "; see glass --help";
  const CLI::App& command = *chosen.front();
  return fmt::format("{0}: {1}; see glass {0} --help", command.get_name(), problem(command, error));
}

bool is_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = commands(app);
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  return fmt::format("there is no command {}{}; the commands are {}; see glass --help", shown(word),
                     did_you_mean(commands(app), word), listed(commands(app), " and "));
}

std::string did_you_mean(const std::vector<std::string>& names, const std::string& typed) {
  const std::vector<char> letters(typed.begin(), typed.end());
  std::vector<std::pair<int64_t, std::string>> near;
  for (const std::string& name : names) {
    int64_t distance = edit_distance(letters, std::vector<char>(name.begin(), name.end()));
    if (!typed.empty() && name.find(typed) != std::string::npos) distance = 1;
    if (distance <= std::max<int64_t>(2, static_cast<int64_t>(typed.size()) / 3))
      near.emplace_back(distance, name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 5); ++i) nearest.push_back(near[i].second);
  return nearest.empty() ? "" : "; did you mean " + listed(nearest, " or ") + "?";
}

}  // namespace glass
