#include "models/diagnosis/deep_network.h"
#include "models/diagnosis/readings.h"

namespace glass {
namespace {

std::vector<Reading> read_not_finite(const TrainingRecord& record) {
  if (!record.not_finite) return {};
  return {{"", 1, record.not_finite->text()}};
}

Demonstration trap_demonstration(const char* broken, const char* cured, Trap trap) {
  return {broken, cured, [trap](bool cured) {
            return DeepNetwork({.depth = 3, .trap = trap, .trapped = !cured}).train();
          }};
}

std::vector<Demonstration> show_not_finite() {
  return {
      trap_demonstration("log(softmax(x)), which is log 0 for a class of probability 0",
                         "cross_entropy", Trap::log_of_softmax),
      trap_demonstration("features divided by their sum, which may be 0", "sum + 1e-6",
                         Trap::no_eps),
      trap_demonstration("a softmax whose row may have no key", "masked_softmax", Trap::empty_row),
      trap_demonstration("exp(x) / Σ exp(x) written out", "cross_entropy", Trap::plain_exp),
      trap_demonstration("a root of a sum of squares, which may be 0", "root of sum + 1e-6",
                         Trap::root_of_zero),
  };
}

}  // namespace

Rule loss_not_finite_rule() {
  return {.name = "loss-not-finite",
          .symptom = "the loss or a gradient is NaN or infinite",
          .quantity =
              "whether it is; the step is then run again to name the first op, its line and "
              "the cause",
          .limit = 0,
          .healthy = 0,
          .broken = 1,
          .remedy =
              "what the message names: cross_entropy for log of softmax, an eps below a line, "
              "masked_softmax for rows without a key, clipped gradients",
          .read = read_not_finite,
          .demonstrations = show_not_finite};
}

}  // namespace glass
