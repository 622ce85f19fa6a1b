#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/metrics/bleu.h"
#include "models/metrics/text_set.h"
#include "models/metrics/tokeniser.h"

namespace glass {

/// A metric that has a name on the command line.
struct MetricInfo {
  std::string name, what;
  std::optional<Tokeniser> tokens = {};  ///< unless told otherwise; none: it cuts text its own way
  bool text = true;                      ///< false: its lines are no text (aer)
};
const std::vector<MetricInfo>& all_metrics();

struct ScoreOptions {
  std::optional<Tokeniser> tokens = {};  ///< instead of the metric's own, where it has one
  bool lower = false;                    ///< lower-case both sides first
  BleuOptions bleu = {.smoothing = Smoothing::exp};  ///< tokens and lower are filled in
};

/// One number. Fractions in [0, 1] (error rates may exceed 1), but for CIDEr: [0, 10].
struct Measure {
  std::string name;
  double value = 0;
  std::string signature;                              ///< what the value depends on
  std::vector<std::pair<std::string, double>> parts;  ///< what it was made from
  std::string warning = {};
};

/// What a metric says about lines of text; "rouge" gives three measures. Throws for an unknown name
/// and as the metrics do.
std::vector<Measure> score(const std::string& metric, const TextSet& set,
                           const ScoreOptions& options = {});

}  // namespace glass
