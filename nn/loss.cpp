#include "nn/loss.h"

#include "autograd/ops/arguments.h"
#include "nn/table.h"

namespace glass {
namespace {

// A layer's entry: the row of its function, and a replay by the constructor's arguments.
struct Row {
  const char* name;
  const char* formula;
  const char* gradient;
  Input input, target;
  std::function<Var(const Vars&)> example;
  std::function<Var(Replay&)> replay;
};

Entry pair_entry(const Row& row) {
  const auto wrong = [example = row.example] {
    example({Var(Tensor::zeros({3})), Var(Tensor::zeros({3, 1}))});
  };
  return {.name = row.name,
          .kind = EntryKind::loss,
          .formula = row.formula,
          .gradient = row.gradient,
          .samples = {{"rows",
                       {row.input, row.target},
                       [example = row.example](const Vars& in) { return Vars{example(in)}; }}},
          .errors = {{"another shape", wrong, "[3] and [3, 1]"}},
          .replay = [replay = row.replay](Replay& r) { return Vars{replay(r)}; }};
}

// PyTorch keeps the classes on axis 1, and on the only axis of one place.
CrossEntropyOptions class_arguments(Replay& r) {
  return {.ignore_index = r.integer("ignore_index", -100),
          .label_smoothing = 0,
          .reduction = reduction_argument(r),
          .weight = r.maybe("weight").value(),
          .class_dim = r["input"].ndim() > 1 ? 1 : 0};
}

[[gnu::cold]] std::vector<Entry> class_entries() {
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
                       "target out of range: 3"}},
           .replay =
               [](Replay& r) {
                 CrossEntropyOptions options = class_arguments(r);
                 options.label_smoothing = r.real("label_smoothing", 0);
                 return Vars{CrossEntropyLoss(options)(r["input"], r["target"])};
               }},
          {.name = "NLLLoss",
           .kind = EntryKind::loss,
           .formula = "-w[target]·x[target]",
           .gradient = "dx = -g·w[target] at the target, else 0",
           .notes = "The class weights are a buffer.",
           .samples = {{"mean",
                        {{{5, 4}}, ints({5}, 0, 4)},
                        [](const Vars& in) { return Vars{NLLLoss()(in[0], in[1])}; }}},
           .errors = {{"target behind the classes",
                       [] {
                         NLLLoss()(Var(Tensor::zeros({1, 3})), Var(Tensor::from<int64_t>({3})));
                       },
                       "target out of range: 3"}},
           .replay = [](Replay& r) {
             return Vars{NLLLoss(class_arguments(r))(r["input"], r["target"])};
           }}};
}

[[gnu::cold]] std::vector<Entry> regression_entries() {
  const Input any{{3, 4}};
  return {
      pair_entry(
          {"MSELoss", "(x - t)²", "dx = 2·g·(x - t), dt = -dx", any, any,
           [](const Vars& in) { return MSELoss()(in[0], in[1]); },
           [](Replay& r) { return MSELoss(reduction_argument(r))(r["input"], r["target"]); }}),
      pair_entry(
          {"L1Loss", "|x - t|", "dx = g·sign(x - t), dt = -dx", any, any,
           [](const Vars& in) { return L1Loss()(in[0], in[1]); },
           [](Replay& r) { return L1Loss(reduction_argument(r))(r["input"], r["target"]); }}),
      pair_entry(
          {"SmoothL1Loss", "d²/(2·beta) for d = |x - t| < beta, else d - beta/2",
           "dx = g·clamp((x - t)/beta, -1, 1), dt = -dx", any, any,
           [](const Vars& in) { return SmoothL1Loss(LossReduction::sum, 0.7)(in[0], in[1]); },
           [](Replay& r) {
             return SmoothL1Loss(reduction_argument(r), r.real("beta", 1))(r["input"], r["target"]);
           }}),
      pair_entry({"HuberLoss", "d²/2 for d = |x - t| < delta, else delta·(d - delta/2)",
                  "dx = g·clamp(x - t, -delta, delta), dt = -dx", any, any,
                  [](const Vars& in) { return HuberLoss(LossReduction::sum, 0.7)(in[0], in[1]); },
                  [](Replay& r) {
                    return HuberLoss(reduction_argument(r), r.real("delta", 1))(r["input"],
                                                                                r["target"]);
                  }})};
}

[[gnu::cold]] std::vector<Entry> probability_entries() {
  const Input any{{3, 4}}, share{{3, 4}, 0.1, 0.9};
  return {pair_entry({"BCELoss", "-t·log(x) - (1 - t)·log(1 - x)",
                      "dx = g·(x - t)/(x·(1 - x)), dt = g·(log(1 - x) - log(x))", share, share,
                      [](const Vars& in) { return BCELoss()(in[0], in[1]); },
                      [](Replay& r) {
                        const Tensor weight = r.maybe("weight").value();
                        return BCELoss(reduction_argument(r), weight)(r["input"], r["target"]);
                      }}),
          pair_entry({"BCEWithLogitsLoss", "-t·log σ(x) - (1 - t)·log σ(-x)",
                      "dx = g·(σ(x) - t), dt = -g·x", any, share,
                      [](const Vars& in) { return BCEWithLogitsLoss()(in[0], in[1]); },
                      [](Replay& r) {
                        const BceOptions options{reduction_argument(r), r.maybe("weight").value(),
                                                 r.maybe("pos_weight").value()};
                        return BCEWithLogitsLoss(options)(r["input"], r["target"]);
                      }}),
          pair_entry({"KLDivLoss", "t·(log t - x); with log_target exp(t)·(t - x)",
                      "dx = -g·t, dt = g·(log t + 1 - x)", any, share,
                      [](const Vars& in) { return KLDivLoss({.batch_mean = true})(in[0], in[1]); },
                      [](Replay& r) {
                        KlOptions options;
                        options.log_target = r.flag("log_target", false);
                        options.batch_mean = r.text("reduction", "mean") == "batchmean";
                        if (!options.batch_mean) options.reduction = reduction_argument(r);
                        return KLDivLoss(options)(r["input"], r["target"]);
                      }})};
}

[[gnu::cold]] std::vector<Entry> margin_entries() {
  const Input any{{3, 4}}, signs{.shape = {3}, .requires_grad = false, .values = {1, -1, 1}};
  const Var two(Tensor::zeros({2})), three(Tensor::zeros({3}));
  return {
      {.name = "MarginRankingLoss",
       .kind = EntryKind::loss,
       .formula = "max(0, margin - t·(x1 - x2))",
       .gradient = "dx1 = -g·t where the loss is not cut off, dx2 = -dx1",
       .samples = {{"both signs",
                    {{{3}}, {{3}}, signs},
                    [](const Vars& in) {
                      return Vars{MarginRankingLoss(5)(in[0], in[1], in[2])};
                    }}},
       .errors = {{"another shape", [=] { MarginRankingLoss()(two, three, two); }, "[2] and [3]"}},
       .replay =
           [](Replay& r) {
             const MarginRankingLoss loss(r.real("margin", 0), reduction_argument(r));
             return Vars{loss(r["input1"], r["input2"], r["target"])};
           }},
      {.name = "CosineEmbeddingLoss",
       .kind = EntryKind::loss,
       .formula = "1 - cos(x1, x2) where t = 1, max(0, cos(x1, x2) - margin) where t = -1",
       .gradient = "through the cosine; 0 where the loss is cut off",
       .samples = {{"both signs",
                    {any, any, signs},
                    [](const Vars& in) {
                      return Vars{CosineEmbeddingLoss(-1)(in[0], in[1], in[2])};
                    }}},
       .errors = {{"targets", [=] { CosineEmbeddingLoss()(two, two, three); }, "[2] and [3]"}},
       .replay =
           [](Replay& r) {
             const CosineEmbeddingLoss loss(r.real("margin", 0), reduction_argument(r));
             return Vars{loss(r["input1"], r["input2"], r["target"])};
           }},
      {.name = "TripletMarginLoss",
       .kind = EntryKind::loss,
       .formula = "max(0, margin + |a - p + eps| - |a - n + eps|)",
       .gradient = "through both norms; 0 where the loss is cut off",
       .samples = {{"not cut off",
                    {any, any, any},
                    [](const Vars& in) {
                      return Vars{TripletMarginLoss({.margin = 9})(in[0], in[1], in[2])};
                    }}},
       .errors = {{"another shape", [=] { TripletMarginLoss()(two, two, three); }, "[2] and [3]"}},
       .replay = [](Replay& r) {
         const TripletOptions options{r.real("margin", 1), r.real("p", 2), r.real("eps", 1e-6),
                                      r.flag("swap", false), reduction_argument(r)};
         return Vars{TripletMarginLoss(options)(r["anchor"], r["positive"], r["negative"])};
       }}};
}

}  // namespace

std::vector<Entry> loss_entries() {
  std::vector<Entry> all = class_entries();
  for (auto* table : {regression_entries, probability_entries, margin_entries})
    for (Entry& entry : table()) all.push_back(std::move(entry));
  return all;
}

}  // namespace glass
