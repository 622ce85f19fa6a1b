#include "models/diagnosis/lookup.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_uniform(const TrainingRecord& record) {
  return lasting(record, settled_step(record), [](const TrainingFacts& facts) {
    std::vector<Reading> readings;
    for (const AttentionFact& a : facts.attention)
      if (!a.to_self) readings.push_back({a.layer, a.entropy});
    return readings;
  });
}

std::vector<Demonstration> show_uniform() {
  return {{"cosine scores at temperature 1: they cannot differ by more than 2", "temperature 0.1",
           [](bool cured) {
             return Lookup({.score = CosineScore{.temperature = cured ? 0.1 : 1}}).train();
           }}};
}

}  // namespace

Rule attention_uniform_rule() {
  return {
      .name = "attention-uniform",
      .symptom = "after warm-up the attention is still spread over all keys alike",
      .quantity = "entropy of a query's weights, 1 = uniform: least of three looks",
      .limit = 0.93,
      .healthy = 0.746,
      .broken = 0.992,
      .remedy =
          "scores that can differ more (a lower temperature, scaled-dot or additive in place of "
          "cosine), a longer training, a shorter source, or another initialisation: the scores "
          "are almost equal",
      .read = read_uniform,
      .demonstrations = show_uniform};
}

}  // namespace glass
