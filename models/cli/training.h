#pragma once

#include <string>

#include "models/seq2seq/evaluate.h"
#include "models/train/run_folder.h"

namespace glass {

/// Trains as configured into folder: config, best model, checkpoint, metrics and report; then
/// evaluates on the test data and prints the result. resume: continue from the checkpoint.
/// Returns what was found on the test data; its translations are empty when interrupted.
Evaluation train_run(RunConfig config, const Corpus& corpus, const std::string& folder,
                     bool resume);

/// Prints samples with their heat maps.
void print_samples(const std::vector<Translation>& translations, size_t count);

}  // namespace glass
