#include "autograd/gradcheck.h"

#include <algorithm>

#include "autograd/gradcheck_order.h"

namespace glass {
namespace {

bool is_wanted(const Var& x) { return x.defined() && x.requires_grad(); }

GradProblem first_order(const Function& f, const Vars& inputs, const CheckOptions& options) {
  GradProblem p;
  bool masked = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    masked = masked || (inputs[i].defined() && inputs[i].dtype() == kBool);
    if (!is_wanted(inputs[i])) continue;
    p.inputs.push_back(inputs[i]);
    p.numbers.push_back(i);
    p.input_names.push_back(i < options.input_names.size() ? options.input_names[i]
                                                           : text("input ", i));
  }
  p.record = [&] { return f(inputs); };
  p.evaluate = [&] {
    const NoGrad off;
    return f(inputs);
  };
  p.f = f;
  p.all = inputs;
  for (double value : {1.0, 0.0})
    if (masked)
      p.unmasked.push_back([&f, inputs, value] {
        Vars all = inputs;
        for (Var& x : all)
          if (x.defined() && x.dtype() == kBool) x = Var(Tensor::full(x.shape(), value, kBool));
        const NoGrad off;
        return f(all);
      });
  return p;
}

// The gradient as a function of the inputs and of the upstream vectors.
GradProblem second_order(const GradProblem& first, uint64_t seed) {
  Generator generator(seed + 1);
  GradProblem p = first;
  p.f = {};
  p.all = {};
  p.unmasked = {};
  for (const std::string& name : first.input_names) p.output_names.push_back("gradient of " + name);
  const Vars outputs = floating_outputs(first.record());
  Vars upstreams;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].requires_grad()) continue;
    upstreams.emplace_back(away_from_zero(outputs[o].shape(), generator), true);
    p.inputs.push_back(upstreams.back());
    p.numbers.push_back(p.numbers.back() + 1);
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

void check_second(const GradProblem& problem, const CheckOptions& options, GradReport& report) {
  if (!options.second_order || !report.ok()) return;
  if (report.first.directions == 0) return;  // no elements
  const GradProblem next = second_order(problem, options.seed);
  if (next.inputs.size() == problem.inputs.size()) return;  // no output has a gradient
  report.second = OrderCheck(next, options).run();
  report.verdict = report.second.verdict;
}

// Both orders, where the inputs are now.
void check_here(const GradProblem& problem, const CheckOptions& options, GradReport& report) {
  report.first = OrderCheck(problem, options).run();
  report.verdict = report.first.verdict;
  check_second(problem, options, report);
  if (report.ok() && !report.first.idle.empty()) report.verdict = Verdict::vacuous;
}

}  // namespace

GradReport check(const Function& f, const Vars& inputs, const CheckOptions& options) {
  constexpr int kMoves = 5;
  const EnableGrad recording;
  const GradProblem problem = first_order(f, inputs, options);
  if (problem.inputs.empty()) fail("gradcheck", "no input requires a gradient");
  if (options.directions < 1)
    fail("gradcheck", "needs at least one direction", "got ", options.directions);
  if (options.gear != 1 && options.gear != 2)
    fail("gradcheck", "has gears 1 and 2", "got ", options.gear);
  GradReport report;
  report.name = options.name;
  check_here(problem, options, report);
  if (!options.move_off_kinks || report.verdict != Verdict::kink) return report;
  std::vector<Tensor> values;
  for (const Var& x : problem.inputs) values.push_back(x.value());
  Displacement sample(values);
  Generator generator(options.seed + 2);
  while (report.verdict == Verdict::kink && report.moved < kMoves) {
    ++report.moved;
    Direction d;
    for (const Tensor& x : values) d.push_back(away_from_zero(x.shape(), generator));
    sample.move(d, 0.05);
    check_here(problem, options, report);
  }
  return report;
}

}  // namespace glass
