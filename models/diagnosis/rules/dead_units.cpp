#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_dead(const TrainingRecord& record) {
  return lasting(record, 0, [](const TrainingFacts& facts) {
    std::vector<Reading> readings;
    for (const UnitsFact& u : facts.units)
      readings.push_back({u.layer, static_cast<double>(u.dead) / static_cast<double>(u.units)});
    return readings;
  });
}

std::vector<Demonstration> show_dead() {
  return {{"a learning rate of 0.5", "a learning rate of 0.002",
           [](bool cured) { return DeepNetwork({.lr = cured ? 2e-3 : 0.5}).train(); }}};
}

}  // namespace

Rule dead_units_rule() {
  return {
      .name = "dead-units",
      .symptom = "rectified units of this layer are 0 for every input and get no gradient",
      .quantity = "part of the layer's units that are 0 over 16 sentences: least of three looks",
      .limit = 0.8,
      .healthy = 0,
      .broken = 1,
      .remedy =
          "a lower learning rate or a longer warm-up, gelu or leaky_relu in place of relu, "
          "biases that begin at 0",
      .read = read_dead,
      .demonstrations = show_dead};
}

}  // namespace glass
