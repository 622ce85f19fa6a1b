#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_memory(const TrainingRecord& record) {
  if (record.looks.empty() || record.looks.back().memory.predicted <= 0) return {};
  const MemoryFact& m = record.looks.back().memory;
  return {{"", static_cast<double>(m.live) / static_cast<double>(m.predicted)}};
}

std::vector<Demonstration> show_memory() {
  return {{"losses added up as Vars: every step's tape stays", "added up as numbers: loss.item()",
           [](bool cured) { return DeepNetwork({.keeps_the_tapes = !cured}).train(); }}};
}

}  // namespace

Rule memory_rule() {
  return {.name = "memory",
          .symptom = "more memory is held between steps than weights, gradients and optimiser need",
          .quantity = "bytes held, as part of those predicted",
          .limit = 1.5,
          .healthy = 1.18,
          .broken = 20.5,
          .remedy =
              "keep loss.item(), not the loss: a Var keeps the tape of its step; detach() what "
              "is kept from step to step",
          .read = read_memory,
          .demonstrations = show_memory};
}

}  // namespace glass
