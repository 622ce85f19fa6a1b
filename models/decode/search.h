#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// A model that writes one token after another. Rows are independent hypotheses.
class StepModel {
 public:
  virtual ~StepModel() = default;
  struct Step {
    Tensor log_probs;  ///< [N, V] of the next token
    Tensor weights;    ///< [N, S] attention; undefined when the model has none
  };
  /// tokens: [N] int64, the last token of each row.
  virtual Step step(const Tensor& tokens) = 0;
  /// Row i continues from what was row rows[i]; rows: [M] int64. Every state follows.
  virtual void reorder(const Tensor& rows) = 0;
};

struct SearchOptions {
  int64_t beam = 1;          ///< hypotheses kept per input; 1 is greedy search
  int64_t max_length = 100;  ///< tokens, the end token counted
  /// A finished hypothesis is ranked by log p / length^length_penalty (0: log p; 1: mean).
  double length_penalty = 1;
  int64_t n_best = 1;
  int64_t bos = 2, eos = 3;
  std::vector<int64_t> max_lengths = {};  ///< one per input; empty: max_length for all of them
  bool keep_weights = true;  ///< false: no attention rows in the results, which saves their memory
};

struct Hypothesis {
  std::vector<int64_t> ids;                  ///< without bos and eos
  double log_prob = 0;                       ///< sum over its tokens, eos counted when finished
  double score = 0;                          ///< log_prob after length normalisation
  bool finished = false;                     ///< false: cut at max_length
  std::vector<std::vector<double>> weights;  ///< one row per id, eos has none; empty if not kept
};

/// The n_best hypotheses of each of batch inputs, best first; never empty.
///
/// Beam search keeps the beam best hypotheses of an input. One that ends is a result and takes its
/// place out of the beam, so a beam of 1 is greedy search. The search of an input stops when all
/// places are taken, or no unfinished hypothesis can beat its n_best-th result any more: with
/// log p < 0 the best that can still come is log p / max_length^length_penalty. When fewer than
/// n_best have ended at max_length, unfinished ones follow, marked as such. Equal scores: the lower
/// parent, then the lower token id. Candidates of probability 0 are never taken. What an input
/// decodes to does not depend on the others in the batch.
std::vector<std::vector<Hypothesis>> beam_search(StepModel& model, int64_t batch,
                                                 const SearchOptions& options);

}  // namespace glass
