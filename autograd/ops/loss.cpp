#include "autograd/ops/loss.h"

#include <cmath>

#include "autograd/ops/activation.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

Var subtract(const char* op, In input, In target) {
  if (input.var && target.var && !(input->shape() == target->shape()))
    fail(op, "input and target must have one shape", input->shape(), " and ", target->shape());
  return sub(input, target);
}

}  // namespace

Var mse_loss(In input, In target, LossReduction reduction) {
  return reduce_loss(reduction, square(subtract("mse_loss", input, target)));
}

Var l1_loss(In input, In target, LossReduction reduction) {
  return reduce_loss(reduction, abs(subtract("l1_loss", input, target)));
}

Var smooth_l1_loss(In input, In target, LossReduction reduction, double beta) {
  if (!(beta >= 0)) fail("smooth_l1_loss", "beta must not be negative", beta);
  if (beta == 0) return l1_loss(input, target, reduction);
  return huber_loss(input, target, reduction, beta) / beta;
}

Var huber_loss(In input, In target, LossReduction reduction, double delta) {
  if (!(delta > 0)) fail("huber_loss", "delta must be positive", delta);
  const Var difference = subtract("huber_loss", input, target), d = abs(difference);
  // Not d²: its second derivative would be 0 at 0.
  return reduce_loss(reduction,
                     where(d < delta, square(difference) * 0.5, (d - delta / 2) * delta));
}

Var binary_cross_entropy_with_logits(In input, In target, const BceOptions& options) {
  const char* op = "binary_cross_entropy_with_logits";
  if (!(input->shape() == target->shape()))
    fail(op, "input and target must have one shape", input->shape(), " and ", target->shape());
  Var positive = *target * logsigmoid(input);
  if (options.pos_weight.defined()) positive = positive * Var(options.pos_weight);
  Var losses = -(positive + (1.0 - *target) * logsigmoid(-*input));
  if (options.weight.defined()) losses = losses * Var(options.weight);
  if (!(losses.shape() == input->shape()))
    fail(op, "weights must fit the input", losses.shape(), " for ", input->shape());
  return reduce_loss(options.reduction, losses);
}

namespace {

// Rows of a loss between two tensors; f on one pair of numbers.
std::vector<Sample> pairs(Var (*loss)(In, In, LossReduction),
                          const std::function<double(double, double)>& f, Input target) {
  const auto row = [=](const char* label, Shape shape, LossReduction reduction) -> Sample {
    Input t = target;
    t.shape = shape;
    return {.label = label,
            .inputs = {{shape}, t},
            .f = [=](const Vars& v) { return Vars{loss(v[0], v[1], reduction)}; },
            .second_order = numel(shape) > 0,
            .reference =
                [=](const Columns& in) {
                  Numbers losses;
                  double total = 0;
                  for (size_t i = 0; i < in[0].size(); ++i) {
                    losses.push_back(f(in[0][i], in[1][i]));
                    total += losses.back();
                  }
                  if (reduction == LossReduction::none) return losses;
                  const double n = static_cast<double>(losses.size());
                  return Numbers{reduction == LossReduction::mean ? total / n : total};
                }};
  };
  return {row("mean", {3, 4}, LossReduction::mean), row("sum", {3, 4}, LossReduction::sum),
          row("none", {3, 4}, LossReduction::none), row("0-d", {}, LossReduction::mean),
          row("empty", {0, 3}, LossReduction::sum)};
}

std::function<Vars(Replay&)> plain(Var (*loss)(In, In, LossReduction)) {
  return [loss](Replay& r) { return Vars{loss(r["input"], r["target"], reduction_argument(r))}; };
}

std::function<Vars(Replay&)> bounded(Var (*loss)(In, In, LossReduction, double),
                                     const char* bound) {
  return [=](Replay& r) {
    return Vars{loss(r["input"], r["target"], reduction_argument(r), r.real(bound, 1))};
  };
}

}  // namespace

std::vector<Entry> loss_ops() {
  const Input any{{}}, share{{}, 0, 1};
  const auto shapes = [](Var (*loss)(In, In, LossReduction)) -> std::vector<ErrorRow> {
    return {{"another shape",
             [=] {
               loss(ones({3}), ones({3, 1}), LossReduction::mean);
             },
             "one shape: [3] and [3, 1]"}};
  };
  const auto smooth = [](In x, In t, LossReduction r) { return smooth_l1_loss(x, t, r, 0.5); };
  const auto huber = [](In x, In t, LossReduction r) { return huber_loss(x, t, r, 0.7); };
  const auto bce = [](In x, In t, LossReduction r) {
    return binary_cross_entropy_with_logits(x, t, {.reduction = r});
  };
  return {{.name = "mse_loss",
           .kind = EntryKind::loss,
           .formula = "(x - t)²",
           .gradient = "dx = 2·g·(x - t), dt = -dx",
           .samples = pairs(
               mse_loss, [](double x, double t) { return (x - t) * (x - t); }, any),
           .errors = shapes(mse_loss),
           .replay = plain(mse_loss)},
          {.name = "l1_loss",
           .kind = EntryKind::loss,
           .formula = "|x - t|",
           .gradient = "dx = g·sign(x - t), dt = -dx",
           .notes = "Slope 0 where x = t.",
           .samples = pairs(
               l1_loss, [](double x, double t) { return std::fabs(x - t); }, any),
           .errors = shapes(l1_loss),
           .replay = plain(l1_loss)},
          {.name = "smooth_l1_loss",
           .kind = EntryKind::loss,
           .formula = "d²/(2·beta) for d = |x - t| < beta, else d - beta/2",
           .gradient = "dx = g·clamp((x - t)/beta, -1, 1), dt = -dx",
           .samples = pairs(
               smooth,
               [](double x, double t) {
                 const double d = std::fabs(x - t);
                 return d < 0.5 ? d * d : d - 0.25;
               },
               any),
           .errors = shapes(smooth),
           .replay = bounded(smooth_l1_loss, "beta")},
          {.name = "huber_loss",
           .kind = EntryKind::loss,
           .formula = "d²/2 for d = |x - t| < delta, else delta·(d - delta/2)",
           .gradient = "dx = g·clamp(x - t, -delta, delta), dt = -dx",
           .samples = pairs(
               huber,
               [](double x, double t) {
                 const double d = std::fabs(x - t);
                 return d < 0.7 ? d * d / 2 : 0.7 * d - 0.245;
               },
               any),
           .errors = shapes(huber),
           .replay = bounded(huber_loss, "delta")},
          {.name = "binary_cross_entropy_with_logits",
           .kind = EntryKind::loss,
           .formula = "-t·log σ(x) - (1 - t)·log σ(-x)",
           .gradient = "dx = g·(σ(x) - t), dt = -g·x",
           .samples = pairs(
               bce,
               [](double x, double t) {
                 const double p = 1 / (1 + std::exp(-x));
                 return -t * std::log(p) - (1 - t) * std::log(1 - p);
               },
               share),
           .errors = shapes(bce),
           .replay = [](Replay& r) {
             const BceOptions options{reduction_argument(r), r.maybe("weight").value(),
                                      r.maybe("pos_weight").value()};
             return Vars{binary_cross_entropy_with_logits(r["input"], r["target"], options)};
           }}};
}

}  // namespace glass
