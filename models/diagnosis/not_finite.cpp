#include "models/diagnosis/not_finite.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "autograd/tape_watch.h"
#include "models/diagnosis/not_finite_cause.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// What a replay has seen: every value by the node that made it. The nodes are kept, so that no
// other takes the place of one.
struct Seen {
  std::map<const Node*, std::vector<Tensor>> values;
  std::vector<NodePtr> nodes;  // in order

  void add(const NodePtr& node, uint32_t output, const Tensor& value) {
    std::vector<Tensor>& outputs = values[node.get()];
    if (outputs.empty()) nodes.push_back(node);
    outputs.resize(std::max<size_t>(outputs.size(), output + 1));
    outputs[output] = value;
  }
  // Undefined where an input has no history.
  std::vector<Tensor> inputs_of(Node& node) const {
    std::vector<Tensor> inputs;
    for (const Edge& edge : node.edges()) {
      const auto found = values.find(edge.node.get());
      const bool known = found != values.end() && edge.output < found->second.size();
      inputs.push_back(known ? found->second[edge.output] : Tensor());
    }
    return inputs;
  }
};

struct Found {
  NotFinite what;
};

// Ops that put -∞ where it is meant to be: under a softmax.
bool is_mask(const std::string& op) {
  static const std::set<std::string> names = {"where", "add", "sub", "mul"};
  return names.contains(op);
}

bool is_wrong(const std::string& op, const Tensor& value, const std::vector<Tensor>& inputs) {
  if (!is_floating(value.dtype()) || all_finite(value)) return false;
  const ValueCounts of = counts(value);
  if (of.nan > 0 || of.plus_infinity > 0) return true;
  const bool handed_on = std::any_of(inputs.begin(), inputs.end(), [](const Tensor& x) {
    return x.defined() && is_floating(x.dtype()) && counts(x).minus_infinity > 0;
  });
  return !handed_on && !is_mask(op);
}

NotFinite described(Node& node, const std::vector<Tensor>& inputs, const Tensor& output) {
  NotFinite found{node.name(), node.where().file, node.where().line, false, {}, {}};
  const NumericCause cause = cause_of(found.op, inputs, output);
  found.cause = cause.what;
  found.remedy = cause.remedy;
  return found;
}

// Of "op X, called at FILE:LINE".
NotFinite from_error(const Error& error) {
  NotFinite found;
  const std::string& text = error.values();
  const size_t at = text.find(", called at "), colon = text.rfind(':');
  if (!text.starts_with("op ") || at == std::string::npos || colon < at) return found;
  found.op = text.substr(3, at - 3);
  found.file = text.substr(at + 12, colon - at - 12);
  found.line = std::atoi(text.c_str() + colon + 1);
  return found;
}

NotFinite in_backward(const Error& error, const Seen& seen) {
  NotFinite found = from_error(error);
  found.backward = true;
  for (const NodePtr& node : seen.nodes) {
    if (node->name() != found.op || node->where().line != found.line ||
        node->where().file != found.file)
      continue;
    const NumericCause cause = backward_cause_of(found.op, seen.inputs_of(*node.get()));
    if (found.cause.empty() || cause.certain) {
      found.cause = cause.what;
      found.remedy = cause.remedy;
    }
    if (cause.certain) break;
  }
  return found;
}

}  // namespace

std::string NotFinite::text() const {
  if (op.empty()) return "it was finite when the step was computed again";
  return glass::text(backward ? "the backward of " : "", "op ", op,
                     file.empty() ? "" : ", called at ", file, file.empty() ? "" : ":",
                     file.empty() ? "" : std::to_string(line), ": ", cause, "; try: ", remedy);
}

NotFinite find_not_finite(const std::function<Var()>& loss, const NamedVars& parameters) {
  Seen seen;
  for (const auto& [name, value] : parameters) {
    if (!all_finite(value.value()))
      return {.op = "update of " + name,
              .cause = "the weights themselves are no longer finite",
              .remedy = "a lower learning rate, a longer warm-up, or clipped gradients"};
    if (value.node()) seen.add(value.node(), value.output(), value.value());
  }
  try {
    const WatchTape watch([&](const NodePtr& node, uint32_t output, const Tensor& value) {
      const std::vector<Tensor> inputs = seen.inputs_of(*node.get());
      if (is_wrong(node->name(), value, inputs)) throw Found{described(*node.get(), inputs, value)};
      seen.add(node, output, value);
    });
    const Var result = loss();
    try {
      result.backward();
    } catch (const Error& error) {
      if (error.op() != "anomaly") throw;
      return in_backward(error, seen);
    }
  } catch (const Found& found) {
    return found.what;
  }
  return {};
}

}  // namespace glass
