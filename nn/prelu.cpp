#include "nn/prelu.h"

#include "autograd/ops/gated.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

PReLU::PReLU(int64_t num_parameters, double init) {
  if (num_parameters < 1) fail("PReLU", "needs at least one parameter", num_parameters);
  weight = parameter(Tensor::full({num_parameters}, init));
}

Var PReLU::operator()(In x) const { return prelu(x, weight); }

std::vector<Entry> prelu_entries() {
  const auto run = [](const Vars& in) {
    PReLU layer(in[1].numel());
    bind_parameters(layer, in, 1);
    return Vars{layer(in[0])};
  };
  return {{.name = "PReLU",
           .kind = EntryKind::layer,
           .formula = "y = x where x > 0, else weight·x",
           .gradient = "dx = dy or weight·dy, dweight = Σ dy·x over x ≤ 0",
           .notes = "At 0 the slope is the weight.",
           .samples = {{"one weight", {{{3, 4}}, {{1}}}, run},
                       {"one per channel", {{{2, 3, 2}}, {{3}}}, run},
                       {"0-d", {{{}, -2, -1}, {{1}}}, run}},
           .errors = {{"channels",
                       [] {
                         PReLU(3)(Var(Tensor::zeros({4, 2})));
                       },
                       "[3] for [4, 2]"}},
           .replay = [](Replay& r) {
             const double init = r.real("init", 0.25);
             return replay_module(r, PReLU(r.integer("num_parameters", 1), init),
                                  [&](PReLU& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
