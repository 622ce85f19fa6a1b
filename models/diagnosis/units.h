#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/diagnosis/facts.h"

namespace glass {

/// While alive, looks at what every rectifier of a model gives (recording must be on) and counts
/// the units that never do. A layer has the name of the parameters before it.
class UnitCounter {
 public:
  explicit UnitCounter(const NamedVars& parameters);
  UnitCounter(const UnitCounter&) = delete;
  UnitCounter& operator=(const UnitCounter&) = delete;
  std::vector<UnitsFact> facts() const;
  void see(const NodePtr& node, const Tensor& value);

 private:
  std::map<const Node*, std::string> names_;         // of leaves
  std::map<std::string, std::vector<bool>> active_;  // by layer, a flag a unit
};

}  // namespace glass
