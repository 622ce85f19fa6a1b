#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/ranges.h"

namespace glass {

// What an option's value must be: CLI::Option::transform takes these. Their messages go on after
// the option's name: "--layers must be a whole number from 1 to 64, got 0".
CLI::Validator within(const WholeRange& range);
CLI::Validator within(const NumberRange& range);
CLI::Validator one_of(const std::vector<std::string>& words);
/// A path that the system takes, and not -; what it names, e.g. "a folder".
CLI::Validator naming(const std::string& what);

/// Makes --flag=value an error, for the flags of all commands.
void refuse_values_of_flags(CLI::App& app);

/// Ends the program with this line and exit status 2.
[[noreturn]] void usage_error(const std::string& text);

/// A parser's error in one line: what is wrong, what would be right, where to read more.
std::string usage_text(const CLI::App& app, const CLI::ParseError& error);
bool is_command(const CLI::App& app, const std::string& word);
/// What to say of a word that is none.
std::string unknown_command(const CLI::App& app, const std::string& word);

}  // namespace glass
