#include "nn/batch_norm.h"

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

BatchNorm::BatchNorm(const char* name, const char* input, int fewest_axes, int most_axes,
                     int64_t features, const BatchNormOptions& chosen)
    : ChannelNorm(name, features, chosen.affine, chosen.track_running_stats),
      options(chosen),
      input_(input),
      fewest_axes_(fewest_axes),
      most_axes_(most_axes) {}

Var BatchNorm::operator()(In x) {
  if (x->ndim() < fewest_axes_ || x->ndim() > most_axes_ || x->size(1) != num_features)
    fail(name_, text("input must be ", input_), x->shape(), " for ", num_features, " features");
  const bool tracks = running_mean.defined();
  if (!is_training() || !tracks)
    return batch_norm(x, {running_mean, running_var}, weight, bias, !tracks, options.eps);
  const double batches = num_batches_tracked.item() + 1;
  const Var y = batch_norm(x, {running_mean, running_var, options.momentum.value_or(1 / batches)},
                           weight, bias, true, options.eps);
  num_batches_tracked.fill_(batches);
  return y;
}

namespace {

template <class Norm>
Sample batch_norm_sample(const char* label, const Shape& x, const BatchNormOptions& options,
                         bool training) {
  Norm shaped(x[1], options);
  std::vector<Input> inputs{{x}};
  for (Input& input : parameter_inputs(shaped)) inputs.push_back(std::move(input));
  return {label, std::move(inputs), [=](const Vars& in) {
            Norm layer(x[1], options);
            layer.to(in[0].dtype());
            bind_parameters(layer, in, 1);
            layer.train(training);
            return Vars{layer(in[0])};
          }};
}

template <class Norm>
Vars replay_batch_norm(Replay& r) {
  BatchNormOptions options{.eps = r.real("eps", 1e-5), .momentum = r.real("momentum", 0.1)};
  if (r.arguments.count("momentum") && !r.has("momentum")) options.momentum = std::nullopt;
  options.affine = r.flag("affine", true);
  options.track_running_stats = r.flag("track_running_stats", true);
  return replay_module(r, Norm(r.integer("num_features"), options),
                       [&](Norm& layer) { return Vars{layer(r["input"])}; });
}

constexpr const char* kFormula =
    "y = (x - mean)/√(variance + eps)·weight + bias for each channel over the batch";
constexpr const char* kNotes =
    "Training moves the running statistics; evaluation takes them in the batch's place.";

}  // namespace

std::vector<Entry> batch_norm_entries() {
  return {{.name = "BatchNorm1d",
           .kind = EntryKind::layer,
           .formula = kFormula,
           .gradient = "as batch_norm",
           .notes = kNotes,
           .samples = {batch_norm_sample<BatchNorm1d>("rows", {4, 3}, {}, true),
                       batch_norm_sample<BatchNorm1d>("sequences", {3, 2, 4}, {.eps = 0.1}, true),
                       batch_norm_sample<BatchNorm1d>("evaluation", {3, 2}, {}, false),
                       batch_norm_sample<BatchNorm1d>("no statistics, evaluation", {4, 2},
                                                      {.track_running_stats = false}, false)},
           .errors = {{"features",
                       [] {
                         BatchNorm1d layer(3);
                         layer(Var(Tensor::zeros({4, 2})));
                       },
                       "[N, C] or [N, C, L]: [4, 2] for 3 features"},
                      {"one row to train with",
                       [] {
                         BatchNorm1d layer(3);
                         layer(Var(Tensor::zeros({1, 3})));
                       },
                       "no variance to train with"}},
           .replay = replay_batch_norm<BatchNorm1d>},
          {.name = "BatchNorm2d",
           .kind = EntryKind::layer,
           .formula = kFormula,
           .gradient = "as batch_norm",
           .notes = kNotes,
           .samples = {batch_norm_sample<BatchNorm2d>("planes", {2, 3, 2, 2}, {}, true),
                       batch_norm_sample<BatchNorm2d>("no weight", {2, 2, 2, 2}, {.affine = false},
                                                      true),
                       batch_norm_sample<BatchNorm2d>("evaluation", {1, 2, 2, 2}, {}, false)},
           .errors = {{"axes",
                       [] {
                         BatchNorm2d layer(3);
                         layer(Var(Tensor::zeros({4, 3})));
                       },
                       "[N, C, H, W]: [4, 3]"}},
           .replay = replay_batch_norm<BatchNorm2d>}};
}

}  // namespace glass
