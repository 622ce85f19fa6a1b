// Recorded runs of optimisers, schedules and clipping: ten steps or thirty epochs at once.
#include <algorithm>
#include <array>
#include <memory>

#include "models/verify/verify.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/plateau.h"
#include "optim/rmsprop.h"
#include "optim/schedule.h"
#include "optim/sgd.h"
#include "tensor/ops.h"

namespace glass {
namespace {

using Outputs = std::map<std::string, Tensor>;

template <class Options>
Options read(Replay& r);

template <>
SgdOptions read(Replay& r) {
  return {.lr = r.real("lr"),
          .momentum = r.real("momentum", 0),
          .dampening = r.real("dampening", 0),
          .weight_decay = r.real("weight_decay", 0),
          .nesterov = r.flag("nesterov", false),
          .maximize = r.flag("maximize", false)};
}

template <class Options>
Options read_adam(Replay& r) {
  Options o;
  const std::vector<double> betas = r.reals("betas", {{0.9, 0.999}});
  if (betas.size() != 2) fail(r.op, "needs two betas", betas.size());
  o.betas = {betas[0], betas[1]};
  o.lr = r.real("lr", o.lr);
  o.eps = r.real("eps", o.eps);
  o.weight_decay = r.real("weight_decay", o.weight_decay);
  o.amsgrad = r.flag("amsgrad", false);
  o.maximize = r.flag("maximize", false);
  return o;
}
template <>
AdamOptions read(Replay& r) {
  return read_adam<AdamOptions>(r);
}
template <>
AdamWOptions read(Replay& r) {
  return read_adam<AdamWOptions>(r);
}

template <>
RMSpropOptions read(Replay& r) {
  return {.lr = r.real("lr", 1e-2),
          .alpha = r.real("alpha", 0.99),
          .eps = r.real("eps", 1e-8),
          .weight_decay = r.real("weight_decay", 0),
          .momentum = r.real("momentum", 0),
          .centered = r.flag("centered", false),
          .maximize = r.flag("maximize", false)};
}

template <>
AdagradOptions read(Replay& r) {
  return {.lr = r.real("lr", 1e-2),
          .lr_decay = r.real("lr_decay", 0),
          .weight_decay = r.real("weight_decay", 0),
          .initial_accumulator_value = r.real("initial_accumulator_value", 0),
          .eps = r.real("eps", 1e-10),
          .maximize = r.flag("maximize", false)};
}

template <>
AdadeltaOptions read(Replay& r) {
  return {.lr = r.real("lr", 1),
          .rho = r.real("rho", 0.9),
          .eps = r.real("eps", 1e-6),
          .weight_decay = r.real("weight_decay", 0),
          .maximize = r.flag("maximize", false)};
}

// The arguments of each parameter group: the call's, overridden by the group's.
std::vector<Replay> groups_of(Replay& r) {
  if (!r.has("groups")) return {r};
  std::vector<Replay> groups;
  for (const Argument& group : std::get<std::vector<Argument>>(r.argument("groups").value)) {
    groups.push_back(r);
    groups.back().arguments.erase("groups");
    const auto& parts = std::get<std::vector<Argument>>(group.value);
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      groups.back().arguments[std::get<std::string>(parts[i].value)] = parts[i + 1];
  }
  return groups;
}

template <class Optim, class Options>
Outputs optimise(Replay& r) {
  std::vector<ParamGroup<Options>> groups;
  std::vector<Tensor> gradients;
  std::vector<std::string> suffixes;
  std::vector<Replay> calls = groups_of(r);
  for (size_t i = 0; i < calls.size(); ++i) {
    suffixes.push_back(calls.size() > 1 ? text('.', i) : "");
    const Tensor start = r["param" + suffixes[i]].value().clone();
    groups.push_back({{Var(start, true)}, read<Options>(calls[i])});
    gradients.push_back(r["grads" + suffixes[i]].value());
    for (const std::string& name : calls[i].unread())
      if (!r.inputs.count(name)) fail(r.op, "an argument is not known", name);
  }
  for (const auto& [name, argument] : r.arguments) r.argument(name);  // read above, in copies
  Optim optimizer(groups);
  std::vector<std::vector<Tensor>> steps(groups.size());
  for (int64_t step = 0; step < gradients[0].size(0); ++step) {
    for (size_t i = 0; i < groups.size(); ++i)
      groups[i].params[0].set_grad(Var(gradients[i].select(0, step).clone()));
    optimizer.step();
    for (size_t i = 0; i < groups.size(); ++i)
      steps[i].push_back(groups[i].params[0].value().clone());
  }
  Outputs outputs;
  for (size_t i = 0; i < groups.size(); ++i) outputs["param" + suffixes[i]] = stack(steps[i]);
  return outputs;
}

OneCycleLR one_cycle(Replay& r) {
  const int64_t steps = r.has("total_steps") ? r.integer("total_steps")
                                             : r.integer("epochs") * r.integer("steps_per_epoch");
  const bool linear = r.text("anneal_strategy", "cos") == "linear";
  return {.max_lr = r.real("max_lr"),
          .total_steps = steps,
          .pct_start = r.real("pct_start", 0.3),
          .anneal_strategy = linear ? OneCycleLR::Anneal::linear : OneCycleLR::Anneal::cos,
          .base_momentum = r.real("base_momentum", 0.85),
          .max_momentum = r.real("max_momentum", 0.95),
          .div_factor = r.real("div_factor", 25),
          .final_div_factor = r.real("final_div_factor", 1e4),
          .three_phase = r.flag("three_phase", false)};
}

Schedule lambda(Replay& r) {
  const std::string name = r.text("lambda");
  if (name == "linear_warmup") return LinearWarmup{r.integer("warmup")};
  fail(r.op, "this function is not known", name, "; there is linear_warmup");
}

// By their names without "lr_scheduler.".
const std::map<std::string, Schedule (*)(Replay&)>& schedules() {
  using R = Replay&;
  static const std::map<std::string, Schedule (*)(R)> all = {
      {"ConstantLR",
       [](R r) -> Schedule {
         return ConstantLR{r.real("factor", 1.0 / 3), r.integer("total_iters", 5)};
       }},
      {"LinearLR",
       [](R r) -> Schedule {
         return LinearLR{r.real("start_factor", 1.0 / 3), r.real("end_factor", 1),
                         r.integer("total_iters", 5)};
       }},
      {"StepLR",
       [](R r) -> Schedule {
         return StepLR{r.integer("step_size"), r.real("gamma", 0.1)};
       }},
      {"MultiStepLR",
       [](R r) -> Schedule {
         return MultiStepLR{r.integers("milestones"), r.real("gamma", 0.1)};
       }},
      {"ExponentialLR", [](R r) -> Schedule { return ExponentialLR{r.real("gamma")}; }},
      {"PolynomialLR",
       [](R r) -> Schedule {
         return PolynomialLR{r.integer("total_iters", 5), r.real("power", 1)};
       }},
      {"CosineAnnealingLR",
       [](R r) -> Schedule {
         return CosineAnnealingLR{r.integer("T_max"), r.real("eta_min", 0)};
       }},
      {"CosineAnnealingWarmRestarts",
       [](R r) -> Schedule {
         return CosineAnnealingWarmRestarts{r.integer("T_0"), r.integer("T_mult", 1),
                                            r.real("eta_min", 0)};
       }},
      {"LambdaLR", lambda}};
  return all;
}

constexpr int64_t kEpochs = 30;

// The rates used in each epoch and those after its scheduler step; step moves to the next epoch.
Outputs rates(SGD& optimizer, bool several, const std::function<void(int64_t)>& step) {
  const auto groups = static_cast<int64_t>(optimizer.num_groups());
  std::vector<double> used, after;
  const auto note = [&](std::vector<double>& list) {
    for (int64_t g = 0; g < groups; ++g) list.push_back(optimizer.lr(static_cast<size_t>(g)));
  };

  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    note(used);
    step(epoch);
    note(after);
  }
  const Shape shape = several ? Shape{kEpochs, groups} : Shape{kEpochs};
  return {{"lr_used", Tensor::from(used, shape)}, {"lr_after", Tensor::from(after, shape)}};
}

Outputs run_schedule(const std::string& name, Replay& r) {
  const std::vector<double> base = r.reals("base_lr");
  const bool several = std::holds_alternative<std::vector<Argument>>(r.argument("base_lr").value);
  std::vector<ParamGroup<SgdOptions>> groups;
  for (const double lr : base)
    groups.push_back({{Var(Tensor::zeros({1}, kFloat64), true)}, {.lr = lr}});
  SGD optimizer(groups);
  if (name == "ReduceLROnPlateau") {
    const std::vector<double> losses = r["losses"].value().to_vector<double>();
    if (losses.size() < size_t{kEpochs}) fail(r.op, "needs 30 losses", losses.size());
    const PlateauOptions plain;
    const bool max = r.text("mode", "min") == "max";
    const bool absolute = r.text("threshold_mode", "rel") == "abs";
    ReduceLROnPlateau plateau(
        optimizer, {.mode = max ? PlateauOptions::Mode::max : PlateauOptions::Mode::min,
                    .factor = r.real("factor", plain.factor),
                    .patience = r.integer("patience", plain.patience),
                    .threshold = r.real("threshold", plain.threshold),
                    .threshold_mode =
                        absolute ? PlateauOptions::Threshold::abs : PlateauOptions::Threshold::rel,
                    .cooldown = r.integer("cooldown", 0),
                    .min_lr = r.real("min_lr", 0),
                    .eps = r.real("eps", plain.eps)});
    return rates(optimizer, several,
                 [&](int64_t epoch) { plateau.step(losses.at(static_cast<size_t>(epoch))); });
  }
  if (name == "OneCycleLR") {
    const OneCycleLR cycle = one_cycle(r);
    LRScheduler scheduler(optimizer, cycle);
    Outputs outputs = rates(optimizer, several, [&](int64_t) { scheduler.step(); });
    r.real("momentum", 0);  // the optimiser's; what cycles starts from max_momentum
    if (r.flag("cycle_momentum", true)) {
      std::vector<double> used;
      for (int64_t epoch = 0; epoch < kEpochs; ++epoch) used.push_back(cycle.momentum(epoch));
      outputs["momentum_used"] = Tensor::from(used, {kEpochs});
    }
    return outputs;
  }
  LRScheduler scheduler(optimizer, schedules().at(name)(r));
  return rates(optimizer, several, [&](int64_t) { scheduler.step(); });
}

Outputs clip(Replay& r, bool by_norm) {
  std::vector<Var> params;
  for (const Var& g : r.list("grads")) {
    params.emplace_back(Tensor::zeros(g.shape(), g.dtype()), true);
    params.back().set_grad(Var(g.value().clone()));
  }
  Outputs outputs;
  if (by_norm) {
    const double norm = clip_grad_norm_(params, r.real("max_norm"), r.real("norm_type", 2),
                                        r.flag("error_if_nonfinite", false));
    outputs["total_norm"] = Tensor::scalar(norm, params.empty() ? kFloat64 : params[0].dtype());
  } else {
    clip_grad_value_(params, r.real("clip_value"));
  }
  for (size_t i = 0; i < params.size(); ++i) outputs[text("grads.", i)] = params[i].grad().value();
  return outputs;
}

const std::map<std::string, Outputs (*)(Replay&)>& steps() {
  static const std::map<std::string, Outputs (*)(Replay&)> all = {
      {"clip_grad_norm_", [](Replay& r) { return clip(r, true); }},
      {"clip_grad_value_", [](Replay& r) { return clip(r, false); }},
      {"optim.SGD", optimise<SGD, SgdOptions>},
      {"optim.Adam", optimise<Adam, AdamOptions>},
      {"optim.AdamW", optimise<AdamW, AdamWOptions>},
      {"optim.RMSprop", optimise<RMSprop, RMSpropOptions>},
      {"optim.Adagrad", optimise<Adagrad, AdagradOptions>},
      {"optim.Adadelta", optimise<Adadelta, AdadeltaOptions>}};
  return all;
}

const std::string kSchedule = "lr_scheduler.";

}  // namespace

std::optional<Outputs> replay_training_step(Replay& r) {
  const std::vector<std::string> names = training_step_names();
  if (std::find(names.begin(), names.end(), r.op) == names.end()) return {};
  if (r.op.starts_with(kSchedule)) return run_schedule(r.op.substr(kSchedule.size()), r);
  return steps().at(r.op)(r);
}

std::vector<std::string> training_step_names() {
  std::vector<std::string> names = {kSchedule + "ReduceLROnPlateau", kSchedule + "OneCycleLR"};
  for (const auto& [name, step] : steps()) names.push_back(name);
  for (const auto& [name, schedule] : schedules()) names.push_back(kSchedule + name);
  return names;
}

}  // namespace glass
