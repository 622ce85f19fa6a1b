#include "nn/instance_norm.h"

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

InstanceNorm::InstanceNorm(const char* name, int axes, int64_t features,
                           const InstanceNormOptions& chosen)
    : ChannelNorm(name, features, chosen.affine, chosen.track_running_stats),
      options(chosen),
      axes_(axes) {}

Var InstanceNorm::operator()(In x) const {
  if ((x->ndim() != axes_ + 1 && x->ndim() != axes_ + 2) || x->size(-axes_ - 1) != num_features)
    fail(name_, "input must have a batch, channels and the other axes; the batch may be absent",
         x->shape(), " for ", num_features, " features");
  if (x->ndim() == axes_ + 1) return squeeze((*this)(unsqueeze(x, 0)), 0);
  const bool own = is_training() || !running_mean.defined();
  return instance_norm(x, weight, bias, options.eps, {running_mean, running_var, options.momentum},
                       own);
}

namespace {

template <class Norm>
Sample instance_norm_sample(const char* label, const Shape& x, int64_t features,
                            const InstanceNormOptions& options, bool training = true) {
  Norm shaped(features, options);
  std::vector<Input> inputs{{x}};
  for (Input& input : parameter_inputs(shaped)) inputs.push_back(std::move(input));
  return {label, std::move(inputs), [=](const Vars& in) {
            Norm layer(features, options);
            layer.to(in[0].dtype());
            bind_parameters(layer, in, 1);
            layer.train(training);
            return Vars{layer(in[0])};
          }};
}

template <class Norm>
Vars replay_instance_norm(Replay& r) {
  const InstanceNormOptions options{.eps = r.real("eps", 1e-5),
                                    .momentum = r.real("momentum", 0.1),
                                    .affine = r.flag("affine", false),
                                    .track_running_stats = r.flag("track_running_stats", false)};
  return replay_module(r, Norm(r.integer("num_features"), options),
                       [&](Norm& layer) { return Vars{layer(r["input"])}; });
}

template <class Norm>
Entry instance_norm_entry(const char* name, std::vector<Sample> samples) {
  return {.name = name,
          .kind = EntryKind::layer,
          .formula = "y = (x - mean)/√(variance + eps)·weight + bias for each channel of each row",
          .gradient = "as instance_norm",
          .notes = "Without weight and running statistics unless they are asked for.",
          .samples = std::move(samples),
          .errors = {{"features",
                      [] {
                        Norm(3)(Var(Tensor::zeros({4, 2, 5, 5})));
                      },
                      "[4, 2, 5, 5] for 3 features"}},
          .replay = replay_instance_norm<Norm>};
}

}  // namespace

std::vector<Entry> instance_norm_entries() {
  return {instance_norm_entry<InstanceNorm1d>(
              "InstanceNorm1d",
              {instance_norm_sample<InstanceNorm1d>("weight", {2, 3, 4}, 3, {.affine = true}),
               instance_norm_sample<InstanceNorm1d>("no batch", {3, 4}, 3, {}),
               instance_norm_sample<InstanceNorm1d>("evaluation by statistics", {2, 3, 4}, 3,
                                                    {.track_running_stats = true}, false)}),
          instance_norm_entry<InstanceNorm2d>(
              "InstanceNorm2d",
              {instance_norm_sample<InstanceNorm2d>("weight", {2, 2, 2, 3}, 2, {.affine = true}),
               instance_norm_sample<InstanceNorm2d>("statistics, training", {2, 2, 2, 3}, 2,
                                                    {.track_running_stats = true})})};
}

}  // namespace glass
