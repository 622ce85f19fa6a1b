#include "nn/loss.h"

#include "nn/table.h"

namespace glass {

std::vector<Entry> loss_entries() {
  const auto layer = [](const CrossEntropyOptions& options, const Vars& in) {
    return Vars{CrossEntropyLoss(options)(in[0], in[1])};
  };
  return {{.name = "CrossEntropyLoss",
           .kind = EntryKind::loss,
           .formula = "cross_entropy(x, target) with the layer's options",
           .gradient = "dx = g·(softmax(x)·Σ q - q)",
           .notes = "The class weights are a buffer.",
           .samples = {{"mean",
                        {{{5, 4}}, ints({5}, 0, 4)},
                        [=](const Vars& in) { return layer({}, in); }},
                       {"smoothed sum",
                        {{{2, 3, 4}}, ints({2, 3}, 0, 4)},
                        [=](const Vars& in) {
                          return layer({.label_smoothing = 0.1, .reduction = LossReduction::sum},
                                       in);
                        }}},
           .errors = {{"target behind the classes",
                       [=] {
                         layer({}, {Var(Tensor::zeros({1, 3})), Var(Tensor::from<int64_t>({3}))});
                       },
                       "target out of range: 3"}}}};
}

}  // namespace glass
