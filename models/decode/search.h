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

/// What log p of a finished hypothesis is divided by; length counts the end token.
enum class LengthNorm : uint8_t {
  power,  ///< length^length_penalty (0: none; 1: the mean)
  gnmt    ///< ((5 + length)/6)^length_penalty (Wu et al. 2016, equation 14)
};

struct SearchOptions {
  int64_t beam = 1;          ///< hypotheses kept per input; 1 is greedy search
  int64_t max_length = 100;  ///< tokens, the end token counted
  double length_penalty = 1;
  int64_t n_best = 1;
  int64_t bos = 2, eos = 3;
  std::vector<int64_t> max_lengths = {};  ///< one per input; empty: max_length for all of them
  bool keep_weights = true;  ///< false: no attention rows in the results, which saves their memory
  LengthNorm length_norm = LengthNorm::power;
  /// β: β·Σ_j log min(Σ_t weight_tj, 1) is added to a score (Wu et al. 2016, equation 14), a sum
  /// below 1e-10 counting as 1e-10. Needs a model that attends; its rows end where weights do.
  double coverage_penalty = 0;
  int64_t min_length = 0;       ///< tokens before the end may come
  int64_t no_repeat_ngram = 0;  ///< no n tokens in a row come twice; 0: they may
};

struct Hypothesis {
  std::vector<int64_t> ids;  ///< without bos and eos
  double log_prob = 0;       ///< sum over its tokens, eos counted when finished
  double score = 0;          ///< log_prob after length normalisation, with the coverage penalty
  bool finished = false;     ///< false: cut at max_length
  std::vector<std::vector<double>> weights;  ///< one row per id, eos has none; empty if not kept
};

/// The n_best hypotheses of each of batch inputs, best first; never empty.
///
/// Beam search keeps the beam best hypotheses of an input. One that ends is a result and takes its
/// place out of the beam, so a beam of 1 is greedy search. The search of an input stops when all
/// places are taken, or no unfinished hypothesis can beat its n_best-th result any more: with
/// log p < 0 the best that can still come is log p, normalised for max_length (a coverage penalty
/// only lowers it): a longer hypothesis may still win, and is waited for. When fewer than n_best
/// have ended at max_length, unfinished ones follow, marked as such. Equal scores: the lower
/// parent, then the lower token id. Candidates of probability 0 are never taken. What an input
/// decodes to does not depend on the others in the batch.
std::vector<std::vector<Hypothesis>> beam_search(StepModel& model, int64_t batch,
                                                 const SearchOptions& options);

}  // namespace glass
