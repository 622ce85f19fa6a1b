#include "nn/linear.h"

#include <cmath>

#include "nn/init.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

Linear::Linear(int64_t in_features, int64_t out_features, bool with_bias, Generator& generator) {
  if (in_features < 0 || out_features < 0)
    fail("Linear", "sizes must not be negative", in_features, " and ", out_features);
  weight = parameter(Tensor::zeros({out_features, in_features}));
  if (with_bias) bias = parameter(Tensor::zeros({out_features}));
  if (in_features == 0) return;
  const double bound = 1 / std::sqrt(static_cast<double>(in_features));
  uniform_(weight, -bound, bound, generator);
  if (with_bias) uniform_(bias, -bound, bound, generator);
}

Linear Linear::from(Var weight, Var bias) {
  if (weight.ndim() != 2) fail("Linear", "weight must be [out, in]", weight.shape());
  if (bias.defined() && !(bias.shape() == Shape{weight.size(0)}))
    fail("Linear", "bias must be [out]", bias.shape(), " for weight ", weight.shape());
  Linear layer;
  layer.weight = std::move(weight);
  layer.bias = std::move(bias);
  return layer;
}

void Linear::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

std::vector<Entry> linear_entries() {
  const auto plain = [](const Vars& in) { return Vars{Linear::from(in[1], in[2])(in[0])}; };
  const auto no_bias = [](const Vars& in) { return Vars{Linear::from(in[1])(in[0])}; };
  const auto wrong_input = [] {
    Generator g;
    Linear(3, 2, true, g)(Var(Tensor::zeros({4, 5})));
  };
  const auto wrong_bias = [] { Linear::from(Var(Tensor::zeros({2, 3})), Var(Tensor::zeros({3}))); };
  return {{.name = "Linear",
           .kind = EntryKind::layer,
           .formula = "y = x·weightᵀ + bias",
           .gradient = "dx = dy·weight, dweight = dyᵀ·x, dbias = Σ dy",
           .notes = "With in_features 0 the output is the bias.",
           .samples = {{"batch", {{{4, 3}}, {{5, 3}}, {{5}}}, plain},
                       {"no bias", {{{4, 3}}, {{5, 3}}}, no_bias},
                       {"one vector", {{{3}}, {{5, 3}}, {{5}}}, plain},
                       {"sequence", {{{2, 4, 3}}, {{2, 3}}, {{2}}}, plain},
                       {"no inputs", {{{4, 0}}, {{3, 0}}, {{3}}}, plain}},
           .errors = {{"wrong input size", wrong_input, "linear"},
                      {"bias of another size", wrong_bias, "bias must be [out]"}},
           .replay = [](Replay& r) {
             Generator g;
             const int64_t in = r.integer("in_features"), out = r.integer("out_features");
             return replay_module(r, Linear(in, out, r.flag("bias", true), g),
                                  [&](Linear& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
