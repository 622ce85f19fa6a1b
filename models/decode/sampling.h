#pragma once

#include "models/decode/search.h"
#include "tensor/random.h"

namespace glass {

struct SamplingOptions {
  double temperature = 1;    ///< log p is divided by it; towards 0 greedy, above 1 more even
  int64_t top_k = 0;         ///< only the k likeliest tokens can be drawn; 0: all
  int64_t samples = 1;       ///< per input, independent
  int64_t max_length = 100;  ///< tokens, the end token counted
  int64_t bos = 2, eos = 3;
  std::vector<int64_t> max_lengths = {};  ///< one per input; empty: max_length for all of them
  bool keep_weights = true;
  uint64_t seed = 1;
};

/// Hypotheses drawn token by token from the model's probabilities, in the order of the draws;
/// log_prob is that of the model, not of the changed distribution, and score its mean per token.
/// Every input draws from a stream of its own that depends on the seed alone, so what an input
/// gets does not depend on the others in the batch.
std::vector<std::vector<Hypothesis>> sample_search(StepModel& model, int64_t batch,
                                                   const SamplingOptions& options);

}  // namespace glass
