#pragma once

#include <CLI/CLI.hpp>

namespace glass {

// Each adds one command to the program. A command that fails throws Error.
void add_demo_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_translate_command(CLI::App& app);
void add_attend_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_audit_command(CLI::App& app);
void add_bias_command(CLI::App& app);
void add_score_command(CLI::App& app);
void add_diagnose_command(CLI::App& app);
void add_gradcheck_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_reference_command(CLI::App& app);
void add_zoo_command(CLI::App& app);

}  // namespace glass
