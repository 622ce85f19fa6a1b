#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/diagnosis/not_finite.h"
#include "models/train/trainer.h"

// What is known of a training, as plain numbers: all that a rule reads.
namespace glass {

struct GradientFact {
  std::string parameter;
  double norm = 0;  ///< not clipped
  double weight_norm = 0;
  bool matrix = false;  ///< two axes or more
};

/// An attention layer over the first sentences of a batch, in evaluation mode.
struct AttentionFact {
  std::string layer;
  bool to_self = false;     ///< queries and keys are one sentence
  double entropy = 0;       ///< as part of the largest possible, mean over queries; 1: uniform
  double top_key = 0;       ///< the weight of a sentence's most read key, mean over its queries
  double padding = 0;       ///< the part of the weights on padding, where a sentence has any
  double score_spread = 0;  ///< standard deviation of a query's scores; hard choices have 0
};

/// A layer of rectified units over the same sentences.
struct UnitsFact {
  std::string layer;
  int64_t units = 0;
  int64_t dead = 0;  ///< 0 wherever they were computed
};

struct MemoryFact {
  /// Weights, gradients, moments, average and best copy, and what was there before the first step.
  int64_t predicted = 0;
  int64_t live = 0;  ///< what the allocator has handed out, between two steps
};

/// One look into a training.
struct TrainingFacts {
  int64_t step = 0;  ///< how many were done
  double loss = 0;
  double gradient_norm = 0;  ///< of all parameters, not clipped: the largest since the last look
  std::string largest_gradient;  ///< the layer that it was largest in
  std::vector<GradientFact> gradients;
  std::vector<AttentionFact> attention;
  std::vector<UnitsFact> units;
  MemoryFact memory;
};

struct TrainingRecord {
  int64_t steps = 0, warmup = 0;     ///< as planned
  std::vector<TrainingFacts> looks;  ///< in order: the first one, and the last ones
  std::vector<HistoryEntry> validations;
  std::optional<NotFinite> not_finite;
};

}  // namespace glass
