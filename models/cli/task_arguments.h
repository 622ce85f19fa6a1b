#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "models/train/run_folder.h"

namespace glass {

/// What the command line says of the data.
struct TaskArguments {
  std::string task = "pairs", source_tokens = "chars", target_tokens = "chars";
  CorpusFiles files;
  TextOptions text;
  TaskOptions data;
};

/// a must live as long as the command.
void add_task_options(CLI::App& command, TaskArguments& a);
/// After parsing: ends the program for an option that the task does not read, and for what does not
/// fit together. Fills in the tokens.
void settle_task(const CLI::App& command, TaskArguments& a);
/// A line for each task.
std::string task_list();
/// The file of --data for a run that is there: as its own data were, label before text where it
/// classifies. Throws Error where no line has a label that the run knows.
std::vector<References> references_for(const RunConfig& config, const std::string& path);
/// Ends the program where an argument of a classifier's run is no label that it knows.
void check_label(const std::string& argument, const TextCodec& codec, const std::string& label);

}  // namespace glass
