#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/registry.h"

namespace glass {

/// A step of the zoo's network: a function of named values, whose result has the step's name.
struct ZooPlace {
  std::string name, formula;
  std::vector<std::string> arguments;
  Function f;
};

using NamedValues = std::map<std::string, Var>;

/// The steps in order; the last is the loss.
const std::vector<ZooPlace>& zoo_places();

/// The parameters (leaves), their names in kZooParameters, and the data x, mask, target.
NamedValues zoo_values(uint64_t seed);
inline const std::vector<std::string> kZooParameters = {"W", "b", "V", "u", "c"};

Vars arguments_of(const ZooPlace& place, const NamedValues& values);

/// All values on the way to the loss. broken replaces the function of the place of that number.
NamedValues run_network(NamedValues values, size_t place, const Function& broken);

}  // namespace glass
