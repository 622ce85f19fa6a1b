#include "nn/group_norm.h"

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

GroupNorm::GroupNorm(int64_t groups, int64_t channels, const GroupNormOptions& options)
    : num_groups(groups), num_channels(channels), eps(options.eps) {
  if (groups < 1 || channels < 1 || channels % groups != 0)
    fail("GroupNorm", "the number of groups must divide the channels", groups, " and ", channels);
  if (!options.affine) return;
  weight = parameter(Tensor::ones({channels}));
  bias = parameter(Tensor::zeros({channels}));
}

void GroupNorm::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

Var GroupNorm::operator()(In x) const {
  if (x->ndim() < 2 || x->size(1) != num_channels)
    fail("GroupNorm", "input must be [N, C, ...]", x->shape(), " for ", num_channels, " channels");
  return group_norm(x, num_groups, weight, bias, eps);
}

namespace {

Sample group_norm_sample(const char* label, const Shape& x, int64_t groups,
                         const GroupNormOptions& options) {
  GroupNorm shaped(groups, x[1], options);
  std::vector<Input> inputs{{x}};
  for (Input& input : parameter_inputs(shaped)) inputs.push_back(std::move(input));
  return {label, std::move(inputs), [=](const Vars& in) {
            GroupNorm layer(groups, x[1], options);
            bind_parameters(layer, in, 1);
            return Vars{layer(in[0])};
          }};
}

}  // namespace

std::vector<Entry> group_norm_entries() {
  return {{.name = "GroupNorm",
           .kind = EntryKind::layer,
           .formula = "y = (x - mean)/√(variance + eps)·weight + bias over groups of channels",
           .gradient = "as group_norm",
           .samples = {group_norm_sample("planes", {2, 4, 2, 3}, 2, {}),
                       group_norm_sample("no weight", {2, 4, 3}, 1, {.affine = false})},
           .errors = {{"channels",
                       [] {
                         GroupNorm(2, 4)(Var(Tensor::zeros({2, 3, 5})));
                       },
                       "[2, 3, 5] for 4 channels"},
                      {"groups", [] { GroupNorm layer(3, 4); }, "3 and 4"}},
           .replay = [](Replay& r) {
             const int64_t groups = r.integer("num_groups"), channels = r.integer("num_channels");
             const GroupNormOptions options{.eps = r.real("eps", 1e-5),
                                            .affine = r.flag("affine", true)};
             return replay_module(r, GroupNorm(groups, channels, options),
                                  [&](GroupNorm& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
