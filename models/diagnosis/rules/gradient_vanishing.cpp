#include <cmath>

#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/layers.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

constexpr double kNothing = 30;  // what stands for log10 of infinity

// The least layer: how many powers of ten its gradient is below that of the largest one.
std::vector<Reading> read_layers(const TrainingFacts& facts) {
  std::map<std::string, double> squares;
  for (const GradientFact& g : facts.gradients)
    if (g.matrix) squares[layer_of(g.parameter)] += g.norm * g.norm;
  double largest = 0;
  for (const auto& [layer, square] : squares) largest = std::max(largest, square);
  std::vector<Reading> readings;
  if (!(largest > 0)) return readings;
  for (const auto& [layer, square] : squares)
    readings.push_back(
        {layer, square > 0 ? std::min(kNothing, 0.5 * std::log10(largest / square)) : kNothing});
  return readings;
}

std::vector<Reading> read_vanishing(const TrainingRecord& record) {
  return lasting(record, 0, read_layers);
}

std::vector<Demonstration> show_vanishing() {
  return {{"twelve layers of sigmoid units, whose slopes are at most 1/4", "rectified units",
           [](bool cured) { return DeepNetwork({.depth = 12, .sigmoid = !cured}).train(); }}};
}

}  // namespace

Rule gradient_vanishing_rule() {
  return {.name = "gradient-vanishing",
          .symptom = "hardly any gradient reaches this layer",
          .quantity =
              "powers of ten between the largest layer's gradient norm and this one's: least "
              "of three looks",
          .limit = 4,
          .healthy = 2.63,
          .broken = 6.1,
          .remedy =
              "residual connections, normalisation between the layers, rectified units or an "
              "LSTM in place of sigmoid or tanh, another initialisation; is the layer part of "
              "the loss at all?",
          .read = read_vanishing,
          .demonstrations = show_vanishing};
}

}  // namespace glass
