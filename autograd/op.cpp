#include "autograd/op.h"

#include "autograd/ops/shape.h"
#include "autograd/tape_watch.h"
#include "tensor/ops.h"

namespace glass {

void fail_not_kept(const Node& node, const char* what, int i) {
  fail(node.name(), "its backward reads a value that it did not keep", what, " ", i,
       "; keep names what is kept");
}

void check_version(const Node& node, const Kept& kept) {
  if (kept.value.defined() && kept.value.value().version() != kept.version)
    fail("backward", "a value saved for it was changed in place afterwards", "op ", node.name(),
         " called at ", node.where().file, ":", node.where().line, " saved version ", kept.version,
         " of a tensor ", kept.value.shape(), ", now at version ", kept.value.value().version(),
         "; change a clone() instead");
}

thread_local const WatchTape* WatchTape::current_ = nullptr;

namespace detail {

void check_result(const char* op, SourceLine where, const Tensor& value, const NodePtr& node,
                  uint32_t output) {
  if (const WatchTape* watch = WatchTape::current()) return watch->show(node, output, value);
  if (!all_finite(value))
    fail("anomaly", "an op made a NaN or an infinity", "op ", op, ", called at ", where.file, ":",
         where.line);
}

// The inputs, wanted or not, stand behind fresh aliases where the inner run stops, so that it never
// walks into the graph that the outer run is working on.
void backward_by_definition(Backward& b, const Node& node, const std::vector<Var>& inputs,
                            const std::function<std::vector<Var>(const std::vector<Var>&)>& f) {
  const EnableGrad recording;
  std::vector<Var> aliases = inputs, ends;
  std::vector<size_t> positions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    aliases[i] = alias(inputs[i]);
    ends.push_back(aliases[i]);
    positions.push_back(i);
  }
  const std::vector<Var> outputs = f(aliases);
  std::vector<Var> used, seeds;
  for (uint32_t i = 0; i < node.outputs(); ++i) {
    if (!b.has_grad(i) || !outputs[i].requires_grad()) continue;
    used.push_back(outputs[i]);
    seeds.push_back(b.grad(i));
  }
  if (used.empty()) return;
  Engine engine({.retain_graph = true, .create_graph = true});
  const std::vector<Var> gradients = engine.run(used, seeds, ends, true);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined()) b.add(positions[i], gradients[i]);
}

}  // namespace detail
}  // namespace glass
