#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

// How far the validation loss has risen above its least while the training loss went down.
std::vector<Reading> read_overfitting(const TrainingRecord& record) {
  const std::vector<HistoryEntry>& all = record.validations;
  if (all.size() < kLasting) return {};
  const auto best = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.valid.loss < b.valid.loss;
  });
  const HistoryEntry& last = all.back();
  if (!(last.train_loss < best->train_loss)) return {};
  return {{"", last.valid.loss - best->valid.loss}};
}

std::vector<Demonstration> show_overfitting() {
  return {{"64 examples, almost a third of them with a wrong label", "2,000 such examples",
           [](bool cured) {
             return DeepNetwork({.depth = 3,
                                 .width = 64,
                                 .examples = cured ? 2000 : 64,
                                 .wrong_labels = 0.3,
                                 .lr = 1e-2})
                 .train();
           }}};
}

}  // namespace

Rule overfitting_rule() {
  return {.name = "overfitting",
          .symptom = "the validation loss rises while the training loss falls",
          .quantity = "nats per token that the validation loss is above its least",
          .limit = 0.2,
          .healthy = 0,
          .broken = 0.98,
          .remedy =
              "more data, dropout, label smoothing, weight decay, a smaller model, or stopping "
              "earlier (--patience); the best model so far is kept",
          .read = read_overfitting,
          .demonstrations = show_overfitting};
}

}  // namespace glass
