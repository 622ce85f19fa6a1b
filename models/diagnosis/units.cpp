#include "models/diagnosis/units.h"

#include <algorithm>

#include "models/diagnosis/layers.h"

namespace glass {
namespace {

// The nearest parameter that a value was computed with: breadth first, a few ops deep.
const Node* nearest_leaf(Node& node, const std::map<const Node*, std::string>& names) {
  constexpr int kDeep = 4;
  std::vector<Node*> level = {&node};
  for (int i = 0; i < kDeep; ++i) {
    std::vector<Node*> next;
    for (Node* each : level) {
      for (const Edge& edge : each->edges()) {
        if (!edge.node) continue;
        if (names.contains(edge.node.get())) return edge.node.get();
        next.push_back(edge.node.get());
      }
    }
    level = std::move(next);
  }
  return nullptr;
}

}  // namespace

UnitCounter::UnitCounter(const NamedVars& parameters) {
  for (const auto& [name, value] : parameters)
    if (value.node()) names_.try_emplace(value.node().get(), layer_of(name));
}

void UnitCounter::see(const NodePtr& node, const Tensor& value) {
  if (node->name() != std::string_view("relu") || value.ndim() < 2 || value.dtype() != kFloat32)
    return;
  const Node* leaf = nearest_leaf(*node.get(), names_);
  const std::string layer = leaf ? names_.at(leaf) : "relu";
  // Pictures have their units on axis 1, all else on the last one.
  const int axis = value.ndim() >= 4 ? 1 : value.ndim() - 1;
  const int64_t units = value.size(axis);
  int64_t inner = 1;
  for (int d = axis + 1; d < value.ndim(); ++d) inner *= value.size(d);
  std::vector<bool>& active = active_[layer];
  active.resize(std::max<size_t>(active.size(), static_cast<size_t>(units)));
  const Tensor dense = value.contiguous();
  const float* x = dense.data<float>();
  for (int64_t i = 0; i < dense.numel(); ++i)
    if (x[i] > 0) active[static_cast<size_t>(i / inner % units)] = true;
}

std::vector<UnitsFact> UnitCounter::facts() const {
  std::vector<UnitsFact> facts;
  for (const auto& [layer, active] : active_)
    facts.push_back({layer, static_cast<int64_t>(active.size()),
                     static_cast<int64_t>(std::count(active.begin(), active.end(), false))});
  return facts;
}

}  // namespace glass
