#include "autograd/gradcheck.h"

#include "autograd/gradcheck_order.h"

namespace glass {
namespace {

GradProblem first_order(const Function& f, const Vars& inputs, const CheckOptions& options) {
  GradProblem p;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
    p.inputs.push_back(inputs[i]);
    p.input_names.push_back(i < options.input_names.size() ? options.input_names[i]
                                                           : text("input ", i));
  }
  p.record = [&] { return f(inputs); };
  p.evaluate = [&] {
    const NoGrad off;
    return f(inputs);
  };
  return p;
}

// The gradient as a function of the inputs and of the upstream vectors.
GradProblem second_order(const GradProblem& first, uint64_t seed) {
  Generator generator(seed + 1);
  GradProblem p = first;
  for (const std::string& name : first.input_names) p.output_names.push_back("gradient of " + name);
  const Vars outputs = floating_outputs(first.record());
  Vars upstreams;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].requires_grad()) continue;
    upstreams.emplace_back(away_from_zero(outputs[o].shape(), generator), true);
    p.inputs.push_back(upstreams.back());
    p.input_names.push_back(text("upstream of output ", o));
  }
  const auto gradients = [f = first.record, x = first.inputs, upstreams](bool create_graph) {
    Vars used;
    for (const Var& y : floating_outputs(f()))
      if (y.requires_grad()) used.push_back(y);
    Vars found = grad(used, x, upstreams, {.create_graph = create_graph});
    for (size_t i = 0; i < x.size(); ++i)
      if (!found[i].defined()) found[i] = Var(Tensor::zeros(x[i].shape(), kFloat64));
    return found;
  };
  p.record = [gradients] { return gradients(true); };
  p.evaluate = [gradients] { return gradients(false); };
  p.differs_when_recorded = "the gradient is another one under create_graph";
  return p;
}

}  // namespace

GradReport check(const Function& f, const Vars& inputs, const CheckOptions& options) {
  const EnableGrad recording;
  const GradProblem problem = first_order(f, inputs, options);
  if (problem.inputs.empty()) fail("gradcheck", "no input requires a gradient");
  if (options.directions < 1)
    fail("gradcheck", "needs at least one direction", "got ", options.directions);
  GradReport report;
  report.name = options.name;
  report.first = OrderCheck(problem, options).run();
  report.verdict = report.first.verdict;
  if (!options.second_order || !report.ok()) return report;
  if (report.first.directions == 0) return report;  // no elements
  const GradProblem next = second_order(problem, options.seed);
  if (next.inputs.size() == problem.inputs.size()) return report;  // no output has a gradient
  report.second = OrderCheck(next, options).run();
  report.verdict = report.second.verdict;
  return report;
}

}  // namespace glass
