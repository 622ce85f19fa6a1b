#include "autograd/ops/divergence.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

Var bounded_log(const Var& x) { return maximum(log(x), -100.0); }

// dx = dy·(x - t)/(x·(1 - x)), dt = dy·(log(1 - x) - log(x)). Not the definition's slope: that is 0
// where a logarithm is cut off, and a wrong certainty would never be corrected.
struct BinaryCrossEntropy {
  static constexpr const char* name = "binary_cross_entropy";
  static constexpr Keep keep{.inputs = 3};
  Tensor forward(const Tensor& input, const Tensor& target) const {
    const Var x(input), t(target);
    return (-(t * bounded_log(x) + (1.0 - t) * bounded_log(1.0 - x))).value();
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var &x = saved.input(0), &t = saved.input(1), &dy = b.grad();
    if (b.needs(0)) b.add(0, dy * (x - t) / maximum(x * (1.0 - x), 1e-12));
    if (b.needs(1)) b.add(1, dy * (bounded_log(1.0 - x) - bounded_log(x)));
  }
};

void check_same_shape(const char* op, In input, In target) {
  if (!(input->shape() == target->shape()))
    fail(op, "input and target must have one shape", input->shape(), " and ", target->shape());
}

}  // namespace

Var binary_cross_entropy(In input, In target, LossReduction reduction, const Tensor& weight) {
  const char* op = "binary_cross_entropy";
  check_same_shape(op, input, target);
  const Tensor& x = input->value();
  if (x.numel() > 0 && !(amin(x).item() >= 0 && amax(x).item() <= 1))
    fail(op, "input must be in [0, 1]", "it reaches from ", amin(x).item(), " to ", amax(x).item());
  Var losses = record(BinaryCrossEntropy{}, input, target);
  if (weight.defined()) losses = losses * Var(weight);
  if (!(losses.shape() == x.shape()))
    fail(op, "weights must fit the input", losses.shape(), " for ", x.shape());
  return reduce_loss(reduction, losses);
}

Var kl_div(In input, In target, const KlOptions& options) {
  check_same_shape("kl_div", input, target);
  Var losses;
  if (options.log_target) {
    losses = exp(target) * sub(target, input);
  } else {
    const Var safe = where(eq(target, 0.0), 1.0, target);
    losses = *target * (log(safe) - *input);
  }
  if (!options.batch_mean) return reduce_loss(options.reduction, losses);
  const int64_t rows = input->ndim() == 0 ? 1 : input->size(0);
  return sum(losses) / static_cast<double>(rows == 0 ? 1 : rows);
}

namespace {

using Loss = std::function<Var(const Var&, const Var&)>;

Sample pair(const char* label, Input x, Input t, Loss loss, std::function<double(double, double)> f,
            double divisor) {
  return {.label = label,
          .inputs = {std::move(x), std::move(t)},
          .f = [loss = std::move(loss)](const Vars& v) { return Vars{loss(v[0], v[1])}; },
          .reference =
              [f = std::move(f), divisor](const Columns& in) {
                Numbers losses;
                for (size_t i = 0; i < in[0].size(); ++i) losses.push_back(f(in[0][i], in[1][i]));
                if (divisor == 0) return losses;
                double total = 0;
                for (double loss : losses) total += loss;
                return Numbers{total / divisor};
              }};
}

KlOptions kl_options(Replay& r) {
  KlOptions options;
  options.log_target = r.flag("log_target", false);
  options.batch_mean = r.text("reduction", "mean") == "batchmean";
  if (!options.batch_mean) options.reduction = reduction_argument(r);
  return options;
}

}  // namespace

std::vector<Entry> divergence_ops() {
  const auto bce = [](double x, double t) { return -t * std::log(x) - (1 - t) * std::log(1 - x); };
  const auto kl = [](double x, double t) { return t == 0 ? 0 : t * (std::log(t) - x); };
  const auto kl_log = [](double x, double t) { return std::exp(t) * (t - x); };
  const auto bce_of = [](LossReduction reduction) -> Loss {
    return [=](const Var& x, const Var& t) { return binary_cross_entropy(x, t, reduction); };
  };
  const auto kl_of = [](const KlOptions& options) -> Loss {
    return [=](const Var& x, const Var& t) { return kl_div(x, t, options); };
  };
  const Input share{{3, 2}, 0.1, 0.9}, logs{{3, 2}, -2, -0.1};
  const auto none = LossReduction::none, total = LossReduction::sum, average = LossReduction::mean;
  return {
      {.name = "binary_cross_entropy",
       .kind = EntryKind::loss,
       .formula = "-t·log(x) - (1 - t)·log(1 - x)",
       .gradient = "dx = g·(x - t)/(x·(1 - x)), dt = g·(log(1 - x) - log(x))",
       .notes = "Logarithms are at least -100, x·(1 - x) in the slope at least 1e-12.",
       .samples = {pair("mean", share, share, bce_of(average), bce, 6),
                   pair("sum", share, share, bce_of(total), bce, 1),
                   pair("none", share, share, bce_of(none), bce, 0),
                   pair(
                       "certain and wrong", exact_constant({2}, {0, 1}),
                       exact_constant({2}, {1, 0}), bce_of(none),
                       [](double, double) { return 100.0; }, 0),
                   pair("empty", {{0, 2}}, {{0, 2}}, bce_of(none), bce, 0)},
       .errors = {{"another shape",
                   [] {
                     binary_cross_entropy(ones({3}), ones({3, 1}));
                   },
                   "one shape: [3] and [3, 1]"},
                  {"no share", [] { binary_cross_entropy(ones({2}) * 2.0, ones({2})); },
                   "from 2 to 2"}},
       .replay =
           [](Replay& r) {
             const Var weight = r.maybe("weight");
             return Vars{binary_cross_entropy(r["input"], r["target"], reduction_argument(r),
                                              weight.value())};
           }},
      {.name = "kl_div",
       .kind = EntryKind::loss,
       .formula = "t·(log t - x); with log_target exp(t)·(t - x)",
       .gradient = "dx = -g·t, dt = g·(log t + 1 - x)",
       .notes = "0 where t is 0, with slope -x in t.",
       .samples = {pair("mean", logs, share, kl_of({}), kl, 6),
                   pair("sum", logs, share, kl_of({.reduction = total}), kl, 1),
                   pair("per row of the batch", logs, share, kl_of({.batch_mean = true}), kl, 3),
                   pair("none, logarithms", logs, logs,
                        kl_of({.reduction = none, .log_target = true}), kl_log, 0),
                   pair("a share of 0", {{3}}, exact_constant({3}, {0.5, 0, 0.5}),
                        kl_of({.reduction = none}), kl, 0),
                   pair("0-d", {{}}, {{}, 0.1, 0.9}, kl_of({}), kl, 1)},
       .errors = {{"another shape",
                   [] {
                     kl_div(ones({3}), ones({3, 1}));
                   },
                   "one shape: [3] and [3, 1]"}},
       .replay = [](Replay& r) { return Vars{kl_div(r["input"], r["target"], kl_options(r))}; }}};
}

}  // namespace glass
