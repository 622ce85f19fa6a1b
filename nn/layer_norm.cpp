#include "nn/layer_norm.h"

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

LayerNorm::LayerNorm(const Shape& shape, const LayerNormOptions& options)
    : normalized_shape(shape), eps(options.eps) {
  if (shape.empty()) fail("LayerNorm", "normalized_shape must have at least one axis", shape);
  if (!options.elementwise_affine) return;
  weight = parameter(Tensor::ones(shape));
  bias = parameter(Tensor::zeros(shape));
}

void LayerNorm::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

namespace {

Sample layer_norm_sample(const char* label, const Shape& x, const Shape& last,
                         const LayerNormOptions& options) {
  LayerNorm shaped(last, options);
  std::vector<Input> inputs{{x}};
  for (Input& input : parameter_inputs(shaped)) inputs.push_back(std::move(input));
  return {label, std::move(inputs), [=](const Vars& in) {
            LayerNorm layer(last, options);
            bind_parameters(layer, in, 1);
            return Vars{layer(in[0])};
          }};
}

}  // namespace

std::vector<Entry> layer_norm_entries() {
  return {{.name = "LayerNorm",
           .kind = EntryKind::layer,
           .formula = "y = (x - mean)/√(variance + eps)·weight + bias over the last axes",
           .gradient = "as layer_norm",
           .samples = {layer_norm_sample("sequence", {2, 3, 4}, {4}, {}),
                       layer_norm_sample("two axes", {2, 3, 4}, {3, 4}, {.eps = 0.1}),
                       layer_norm_sample("no weight", {3, 4}, {4}, {.elementwise_affine = false})},
           .errors = {{"features",
                       [] {
                         LayerNorm(Shape{3})(Var(Tensor::zeros({2, 4})));
                       },
                       "[2, 4] and [3]"},
                      {"no axes", [] { LayerNorm layer(Shape{}); }, "at least one axis"}},
           .replay = [](Replay& r) {
             const std::vector<int64_t> shape = r.integers("normalized_shape");
             const LayerNormOptions options{
                 .eps = r.real("eps", 1e-5),
                 .elementwise_affine = r.flag("elementwise_affine", true)};
             return replay_module(r, LayerNorm(Shape(std::span<const int64_t>(shape)), options),
                                  [&](LayerNorm& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
