#include "models/diagnosis/lookup.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

// Later on, scores that differ much are what a model has learned.
std::vector<Reading> read_unscaled(const TrainingRecord& record) {
  std::vector<Reading> readings;
  if (record.looks.empty() || record.looks.front().step > 0) return readings;
  for (const AttentionFact& a : record.looks.front().attention)
    readings.push_back({a.layer, a.score_spread});
  return readings;
}

std::vector<Demonstration> show_unscaled() {
  return {
      {"dot products of 256 features, not divided by √256", "scaled dot products", [](bool cured) {
         const AttentionScore dot = DotScore{}, scaled = ScaledDotScore{};
         return Lookup({.score = cured ? scaled : dot, .size = 256}).train();
       }}};
}

}  // namespace

Rule unscaled_scores_rule() {
  return {.name = "unscaled-scores",
          .symptom =
              "scores differ so much before the first step that softmax is almost a choice of "
              "one key, which passes on no gradient",
          .quantity = "standard deviation of a query's scores before the first step",
          .limit = 4,
          .healthy = 0.587,
          .broken = 14.0,
          .remedy = "scaled-dot scores (divided by √d), or normed queries and keys",
          .read = read_unscaled,
          .demonstrations = show_unscaled};
}

}  // namespace glass
