#include "models/diagnosis/lookup.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_padding(const TrainingRecord& record) {
  std::vector<Reading> readings;
  if (record.looks.empty()) return readings;
  for (const AttentionFact& a : record.looks.back().attention)
    readings.push_back({a.layer, a.padding});
  return readings;
}

std::vector<Demonstration> show_padding() {
  return {{"no mask: padding can be read", "Mask::from_lengths",
           [](bool cured) { return Lookup({.masked = cured}).train(); }}};
}

}  // namespace

Rule attention_padding_rule() {
  return {.name = "attention-padding",
          .symptom = "the attention reads padding",
          .quantity = "part of the weights on padding, in sentences that have any",
          .limit = 1e-4,
          .healthy = 0,
          .broken = 0.0659,
          .remedy =
              "give the attention the mask of the sentences' lengths "
              "(Mask::from_lengths(lengths, width)); true means: may be attended to",
          .read = read_padding,
          .demonstrations = show_padding};
}

}  // namespace glass
