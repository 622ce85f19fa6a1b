#include "nn/bilinear.h"

#include <cmath>

#include "nn/init.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

Bilinear::Bilinear(int64_t in1, int64_t in2, int64_t out, bool with_bias, Generator& generator) {
  if (in1 < 1 || in2 < 1 || out < 1)
    fail("Bilinear", "sizes must be positive", in1, ", ", in2, " and ", out);
  const double bound = 1 / std::sqrt(static_cast<double>(in1));
  weight = parameter(Tensor::zeros({out, in1, in2}));
  uniform_(weight, -bound, bound, generator);
  if (!with_bias) return;
  bias = parameter(Tensor::zeros({out}));
  uniform_(bias, -bound, bound, generator);
}

void Bilinear::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

// x1 times all weights side by side, [in1, out·in2]; then with x2.
Var Bilinear::operator()(In x1, In x2) const {
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  if (x1->ndim() < 1 || x1->ndim() != x2->ndim() || x1->size(-1) != in1 || x2->size(-1) != in2)
    fail("Bilinear", "inputs must be [..., in1] and [..., in2]", x1->shape(), " and ", x2->shape(),
         " for ", in1, " and ", in2);
  const Var sides = matmul(x1, reshape(permute(weight, {1, 0, 2}), {in1, out * in2}));
  Shape shape = x1->shape();
  shape[x1->ndim() - 1] = out;
  shape.push_back(in2);
  const Var y = sum(reshape(sides, shape) * unsqueeze(x2, -2), {-1});
  return bias.defined() ? y + bias : y;
}

std::vector<Entry> bilinear_entries() {
  const auto run = [](bool bias) {
    return [=](const Vars& in) {
      Generator unused;
      Bilinear layer(in[2].size(1), in[2].size(2), in[2].size(0), bias, unused);
      bind_parameters(layer, in, 2);
      return Vars{layer(in[0], in[1])};
    };
  };
  return {
      {.name = "Bilinear",
       .kind = EntryKind::layer,
       .formula = "y_o = x1ᵀ·weight_o·x2 + bias_o",
       .gradient = "dx1 = Σ dy_o·weight_o·x2, dx2 = Σ dy_o·weight_oᵀ·x1, dweight_o = "
                   "Σ dy_o·x1·x2ᵀ, dbias = Σ dy",
       .samples = {{"batch", {{{4, 2}}, {{4, 3}}, {{2, 2, 3}}, {{2}}}, run(true)},
                   {"sequence, no bias", {{{2, 3, 2}}, {{2, 3, 2}}, {{3, 2, 2}}}, run(false)},
                   {"one pair", {{{2}}, {{3}}, {{2, 2, 3}}, {{2}}}, run(true)}},
       .errors =
           {{"features",
             [] {
               Generator g;
               Bilinear(2, 3, 2, true, g)(Var(Tensor::zeros({4, 2})), Var(Tensor::zeros({4, 2})));
             },
             "[4, 2] and [4, 2] for 2 and 3"}},
       .replay = [](Replay& r) {
         Generator g;
         const int64_t in1 = r.integer("in1_features"), in2 = r.integer("in2_features");
         const int64_t out = r.integer("out_features");
         return replay_module(
             r, Bilinear(in1, in2, out, r.flag("bias", true), g),
             [&](Bilinear& layer) { return Vars{layer(r["input1"], r["input2"])}; });
       }}};
}

}  // namespace glass
