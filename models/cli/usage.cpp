#include "models/cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "models/names.h"
#include "models/report/label.h"

namespace glass {
namespace {

constexpr double kUnlimited = 1e18;  // an end that the help need not name

std::string shown(const std::string& typed) {
  return typed.empty() ? "an empty text" : shorten(clean_text(typed), 40);
}

std::string wrong(const std::string& wanted, const std::string& typed) {
  return "must be " + wanted + ", got " + shown(typed);
}

// 64, 1e9
std::string brief_number(double value) {
  std::string number = value < 1e6 ? fmt::format("{}", value) : fmt::format("{:g}", value);
  if (const size_t sign = number.find("e+0"); sign != std::string::npos) number.erase(sign + 1, 2);
  return number;
}

// A range as the help shows it: "1..64", "0..<1", "1..1e9", and ">0" without another end.
std::string span(double low, bool above, double high, bool below) {
  if (high >= kUnlimited) return fmt::format("{}{}", above ? ">" : ">=", low);
  return fmt::format("{}{}..{}{}", above ? ">" : "", low, below ? "<" : "", brief_number(high));
}

template <class T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

std::vector<std::string> commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

const std::string kNoOption = "there is no option ";

// What CLI11 could not place: an option that is none, or an argument too many. command: whose
// options there are.
std::string unexpected(const CLI::App& app, const CLI::App& command) {
  std::string extra;
  bool options_end = false;
  for (const std::string& typed : app.remaining(true)) {
    if (typed == "--") {
      options_end = true;
    } else if (typed.starts_with("-") && !options_end) {
      const std::string name = typed.substr(0, typed.find('='));
      std::vector<std::string> options;
      for (const CLI::Option* option : command.get_options()) options.push_back(option->get_name());
      return kNoOption + shown(name) + did_you_mean(options, name);
    } else if (extra.empty()) {
      extra = shown(typed);
    }
  }
  return extra.empty() ? "a command is missing" : "an argument too many: " + extra;
}

std::string problem(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const bool no_command = &command == &app && !app.remaining().empty();
  if (no_command || dynamic_cast<const CLI::ExtrasError*>(&error)) return unexpected(app, command);
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {  // it may be there, misspelt
    const std::string other = unexpected(app, command);
    if (other.starts_with(kNoOption)) return other;
  }
  const bool mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  if (mismatch && text.ends_with("flag override"))
    return "--" + text.substr(0, text.find(' ')) + " takes no value";
  const size_t colon = text.find(": ");  // CLI11 writes "--name: what is wrong"
  if (!text.starts_with("-") || colon == std::string::npos || text.find(' ') < colon) return text;
  const std::string name = text.substr(0, colon), rest = text.substr(colon + 2);
  if (mismatch)
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
    if (text.empty()) return "must name " + what + ", got an empty text";
    if (text == "-")
      return "must name " + what +
             "; - is not standard input or output here (./- is a file of that name)";
    std::error_code error;
    static_cast<void>(std::filesystem::status(text, error));
    if (error == std::errc::filename_too_long)
      return "must name " + what + ", got a name too long for this system: " + shown(text);
    return std::string();
  };
  return {check, ""};
}

void usage_error(const std::string& text) {
  throw CLI::ValidationError(text, CLI::ExitCodes::ValidationError);
}

std::string usage_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return problem(app, app, error) + "; see glass --help";
  const CLI::App& command = *chosen.front();
  return fmt::format("{0}: {1}; see glass {0} --help", command.get_name(),
                     problem(app, command, error));
}

void refuse_values_of_flags(CLI::App& app) {
  std::vector<CLI::App*> all = app.get_subcommands([](CLI::App*) { return true; });
  all.push_back(&app);
  for (CLI::App* command : all)
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
}

bool is_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = commands(app);
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  return fmt::format("there is no command {}{}; the commands are {}; see glass --help", shown(word),
                     did_you_mean(commands(app), word), listed(commands(app), " and "));
}

}  // namespace glass
