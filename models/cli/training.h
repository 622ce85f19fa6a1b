#pragma once

#include <string>

#include "models/seq2seq/evaluate.h"
#include "models/train/run_folder.h"

namespace glass {

/// How a training begins: in a folder without a finished run, over an old run, or from the
/// folder's checkpoint.
enum class Start : uint8_t { fresh, replace, resume };

/// Trains as configured (resumed: perhaps longer than the folder's config says) into folder:
/// config, best model, checkpoint, metrics and report; then evaluates on the test data, prints the
/// result and returns it. Throws Interrupted where an InterruptGuard met a signal: the message says
/// how to go on.
Evaluation train_run(RunConfig config, const Corpus& corpus, const std::string& folder,
                     Start start);

/// Prints samples, the shorter ones with their heat maps.
void print_samples(const std::vector<Translation>& translations, size_t count);

}  // namespace glass
