#pragma once

#include <string>
#include <vector>

#include "models/metrics/answers.h"
#include "models/report/plot.h"
#include "models/seq2seq/evaluate.h"

namespace glass {

/// Sources of similar length.
struct LengthGroup {
  int64_t shortest = 0, longest = 0;  ///< tokens
  double mean = 0;                    ///< of their lengths
  std::vector<size_t> rows = {};      ///< which they are
};

/// At most so many groups of about as many sources each, the shortest first; sources of one length
/// stay together. Throws Error where most is less than 1.
std::vector<LengthGroup> length_groups(const std::vector<int64_t>& lengths, size_t most = 10);

/// How good answers are to sources of each length: a decoder without attention has one vector for
/// all of a source, and loses long ones (Bahdanau, Cho, Bengio 2014, figure 2).
struct ScoresByLength {
  std::vector<LengthGroup> groups;
  std::vector<AnswerScores> scores;  ///< of each group
};

/// Of sources by their tokens.
std::vector<LengthGroup> length_groups(const TextCodec& codec, const std::vector<References>& data);
/// translations are evaluate()'s of data. Throws Error where they are not as many.
ScoresByLength scores_by_length(const TextCodec& codec, const std::vector<References>& data,
                                const std::vector<Translation>& translations,
                                std::vector<LengthGroup> groups);

/// BLEU over the mean length of each group, one curve per run.
LinePlot length_plot(const std::vector<std::string>& names,
                     const std::vector<ScoresByLength>& runs);

}  // namespace glass
