#include "nn/dropout.h"

#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

Dropout::Dropout(double p, Generator& generator) : p_(p), generator_(&generator) {
  if (!(p >= 0 && p <= 1)) fail("Dropout", "p must be in [0, 1]", p);
}

std::vector<Entry> dropout_entries() {
  // A fresh generator for every call, so that all calls drop the same elements.
  const auto run = [](const Vars& in, double p, bool training) {
    Generator generator(3);
    Dropout layer(p, generator);
    layer.train(training);
    return Vars{layer(in[0])};
  };
  return {{.name = "Dropout",
           .kind = EntryKind::layer,
           .formula = "y = x·m / (1 - p), m = 1 with probability 1 - p, else 0",
           .gradient = "dx = dy·m / (1 - p), the same m",
           .notes = "In evaluation y = x and nothing is drawn.",
           .samples = {{"training", {{{4, 5}}}, [=](const Vars& in) { return run(in, 0.4, true); }},
                       {"evaluation",
                        {{{4, 5}}},
                        [=](const Vars& in) { return run(in, 0.4, false); },
                        Verdict::pass,
                        true,
                        1e-6,
                        {},
                        [](const std::vector<std::vector<double>>& x) { return x[0]; }}},
           .errors = {{"p above 1",
                       [] {
                         Generator generator;
                         Dropout(1.5, generator);
                       },
                       "p must be in [0, 1]: 1.5"}},
           .replay = [](Replay& r) {
             Generator g;
             r.flag("inplace", false);
             return replay_module(r, Dropout(r.real("p", 0.5), g),
                                  [&](Dropout& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
