#include "models/diagnosis/lookup.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_stuck(const TrainingRecord& record) {
  return lasting(record, settled_step(record), [](const TrainingFacts& facts) {
    std::vector<Reading> readings;
    for (const AttentionFact& a : facts.attention)
      if (!a.to_self) readings.push_back({a.layer, a.top_key});
    return readings;
  });
}

std::vector<Demonstration> show_stuck() {
  return {{"a prior of strength 20 whose centre stays at the first key (ratio 0)", "no prior",
           [](bool cured) {
             return cured ? Lookup({}).train()
                          : Lookup({.scope = PriorScope{.strength = 20, .ratio = 0}}).train();
           }}};
}

}  // namespace

Rule attention_stuck_rule() {
  return {.name = "attention-stuck",
          .symptom = "whatever is asked, the attention reads the same key",
          .quantity =
              "weight of a sentence's most read key, mean over its queries: least of three "
              "looks",
          .limit = 0.9,
          .healthy = 0.226,
          .broken = 1,
          .remedy =
              "check that queries differ (does the state reach the attention?), scope and "
              "prior; a lower learning rate, or coverage",
          .read = read_stuck,
          .demonstrations = show_stuck};
}

}  // namespace glass
