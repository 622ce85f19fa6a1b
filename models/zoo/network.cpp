#include "models/zoo/network.h"

#include "autograd/autograd.h"

namespace glass {

const std::vector<ZooPlace>& zoo_places() {
  static const std::vector<ZooPlace> places = {
      {"project", "x·W", {"x", "W"}, [](const Vars& v) { return Vars{matmul(v[0], v[1])}; }},
      {"bias", "project + b", {"project", "b"}, [](const Vars& v) { return Vars{v[0] + v[1]}; }},
      {"activate", "tanh(bias)", {"bias"}, [](const Vars& v) { return Vars{tanh(v[0])}; }},
      {"mask",
       "activate where allowed, else 0",
       {"activate", "allowed"},
       [](const Vars& v) { return Vars{where(v[1], v[0], 0.0)}; }},
      {"mix", "mask·V", {"mask", "V"}, [](const Vars& v) { return Vars{matmul(v[0], v[1])}; }},
      {"gate",
       "activate ∘ σ(mix)",
       {"activate", "mix"},
       [](const Vars& v) { return Vars{v[0] * sigmoid(v[1])}; }},
      {"split",
       "gate in two heads",
       {"gate"},
       [](const Vars& v) {
         return Vars{reshape(v[0], {5, 2, 2})};
       }},
      {"normalize",
       "split/√(1 + Σ split²), per head",
       {"split"},
       [](const Vars& v) { return Vars{v[0] / sqrt(1.0 + sum(square(v[0]), {2}, true))}; }},
      {"pool", "Σ of the heads", {"normalize"}, [](const Vars& v) { return Vars{sum(v[0], {1})}; }},
      {"score",
       "pool·u + c",
       {"pool", "u", "c"},
       [](const Vars& v) { return Vars{matmul(v[0], v[1]) + v[2]}; }},
      {"loss",
       "mean of (score - target)²",
       {"score", "target"},
       [](const Vars& v) { return Vars{mean(square(v[0] - v[1]))}; }},
  };
  return places;
}

NamedValues zoo_values(uint64_t seed) {
  Generator g(seed);
  const auto leaf = [&](const Shape& shape) {
    return Var(uniform(shape, -1, 1, kFloat64, g), true);
  };
  NamedValues values;
  values["W"] = leaf({4, 4});
  values["b"] = leaf({4});
  values["V"] = leaf({4, 4});
  values["u"] = leaf({2, 2});
  values["c"] = leaf({2});
  values["x"] = Var(uniform({5, 4}, -1, 1, kFloat64, g));
  values["target"] = Var(uniform({5, 2}, -1, 1, kFloat64, g));
  values["allowed"] = Var(bernoulli({5, 4}, 0.7, g));
  return values;
}

Vars arguments_of(const ZooPlace& place, const NamedValues& values) {
  Vars arguments;
  for (const std::string& name : place.arguments) arguments.push_back(values.at(name));
  return arguments;
}

NamedValues run_network(NamedValues values, size_t place, const Function& broken) {
  const std::vector<ZooPlace>& places = zoo_places();
  for (size_t p = 0; p < places.size(); ++p) {
    const Function& f = p == place && broken ? broken : places[p].f;
    values[places[p].name] = f(arguments_of(places[p], values))[0];
  }
  return values;
}

}  // namespace glass
