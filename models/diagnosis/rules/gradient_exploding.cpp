#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_exploding(const TrainingRecord& record) {
  std::vector<Reading> readings;
  for (const TrainingFacts& facts : record.looks)
    readings.push_back({facts.largest_gradient, facts.gradient_norm});
  if (readings.empty()) return readings;
  return {*std::max_element(readings.begin(), readings.end(),
                            [](const Reading& a, const Reading& b) { return a.value < b.value; })};
}

std::vector<Demonstration> show_exploding() {
  return {{"initial weights four times as large as Kaiming's, in eight layers",
           "Kaiming's initialisation",
           [](bool cured) { return DeepNetwork({.weight_factor = cured ? 1.0 : 4.0}).train(); }}};
}

}  // namespace

Rule gradient_exploding_rule() {
  return {.name = "gradient-exploding",
          .symptom = "gradients are very large, most of all in this layer",
          .quantity = "norm of all gradients before clipping, the largest seen",
          .limit = 100,
          .healthy = 20.2,
          .broken = 54700,
          .remedy =
              "clipped gradients (--clip 1), a smaller --lr, smaller initial weights, a longer "
              "warm-up, "
              "normalisation between the layers, or an LSTM in place of a plain recurrence",
          .read = read_exploding,
          .demonstrations = show_exploding};
}

}  // namespace glass
