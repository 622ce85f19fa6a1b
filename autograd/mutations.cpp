#include <algorithm>
#include <cmath>

#include "autograd/finite_difference.h"
#include "autograd/mutants.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// What is known about a function at some inputs.
struct Site {
  const Function& f;
  const Vars& inputs;
  Vars outputs;
  std::vector<size_t> wanted;  // inputs whose gradients are planted with mistakes
  bool masked = false;
};

Site examine(const Function& f, const Vars& inputs, size_t max_inputs) {
  Site site{f, inputs, {}, {}};
  {
    const NoGrad off;
    site.outputs = f(inputs);
  }
  std::vector<size_t> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    site.masked = site.masked || inputs[i].dtype() == kBool;
    if (inputs[i].requires_grad() && inputs[i].numel() > 0) all.push_back(i);
  }
  const size_t chosen = std::min(all.size(), max_inputs);
  for (size_t k = 0; k < chosen; ++k)  // from the first to the last
    site.wanted.push_back(all[chosen < 2 ? 0 : k * (all.size() - 1) / (chosen - 1)]);
  return site;
}

void add_factors(std::vector<Mutation>& all, const Site& site, size_t i) {
  const auto add = [&](double factor, std::string words) {
    all.push_back(
        {.cause = CauseKind::factor, .label = std::move(words), .input = i, .factor = factor});
  };
  add(2, "factor 2");
  add(0.5, "factor ½");
  int64_t n = 0;
  for (const Var& y : site.outputs)
    if (y.ndim() > 0) n = std::max(n, y.size(0));
  if (n < 2) n = site.inputs[i].numel();
  if (n < 3) return;
  add(static_cast<double>(n), "sum for mean");
  add(1 / static_cast<double>(n), "mean for sum");
}

// Axes along which the output is longer than the input, or its first.
int64_t reduced_axis(const Site& site, const Shape& input) {
  for (const Var& y : site.outputs)
    for (int axis = 0; axis < y.ndim(); ++axis) {
      const int own = axis - (y.ndim() - input.size());
      if (y.size(axis) > 1 && (own < 0 || input[own] == 1)) return axis;
    }
  for (const Var& y : site.outputs)
    if (y.ndim() > 0 && y.size(0) > 1) return 0;
  return -1;
}

void add_for_input(std::vector<Mutation>& all, const Site& site, size_t i) {
  const Var& x = site.inputs[i];
  const auto add = [&](CauseKind cause, std::string words, int64_t axis = 0) {
    all.push_back({.cause = cause, .label = std::move(words), .input = i, .axis = axis});
  };
  add(CauseKind::missing, "missing");
  add(CauseKind::sign, "sign");
  add_factors(all, site, i);
  add(CauseKind::upstream_ignored, "upstream ignored");
  add(CauseKind::nan, "one NaN");
  if (x.ndim() >= 2) add(CauseKind::transposed, "transposed");
  if (x.ndim() >= 3) add(CauseKind::permuted, "axes permuted");
  if (std::any_of(site.outputs.begin(), site.outputs.end(),
                  [](const Var& y) { return y.ndim() >= 2; }))
    add(CauseKind::wrong_axis, "wrong axis");
  if (const int64_t axis = reduced_axis(site, x.shape()); axis >= 0)
    add(CauseKind::not_reduced, "not reduced", axis);
  if (x.numel() >= 2) add(CauseKind::dropped, "one element dropped", -1);
  if (x.ndim() >= 1 && x.size(0) >= 2 && x.numel() > 2)
    add(CauseKind::dropped, "one slice dropped");
  if (x.numel() >= 2)
    all.push_back({.cause = CauseKind::mask_ignored,
                   .label = "gradient behind a mask",
                   .input = i,
                   .variant = 2});
  for (size_t j : site.wanted)
    if (j > i && site.inputs[j].numel() == x.numel()) {
      all.push_back({.cause = CauseKind::swapped,
                     .label = text("swapped with input ", j),
                     .input = i,
                     .other = j});
      break;
    }
}

// Whether f gives finite values of the same shapes at other inputs.
bool is_defined(const Site& site, const Vars& inputs) {
  try {
    const NoGrad off;
    const Vars outputs = site.f(inputs);
    for (size_t o = 0; o < outputs.size(); ++o)
      if (!(outputs[o].shape() == site.outputs[o].shape()) ||
          (is_floating(outputs[o].dtype()) && !all_finite(outputs[o].value())))
        return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

Vars with_output_over(const Site& site, size_t i) {
  Vars inputs = site.inputs;
  inputs[i] = site.outputs[0].detach();
  return inputs;
}

Vars with_masks(const Site& site, bool on) {
  Vars inputs = site.inputs;
  for (Var& x : inputs)
    if (x.defined() && x.dtype() == kBool) x = Var(Tensor::full(x.shape(), on, kBool));
  return inputs;
}

void add_for_all(std::vector<Mutation>& all, const Site& site) {
  const auto add = [&](CauseKind cause, std::string words, uint8_t variant = 0, size_t other = 0) {
    all.push_back({.cause = cause,
                   .label = std::move(words),
                   .input = site.wanted[0],
                   .all = true,
                   .other = other,
                   .variant = variant});
  };
  add(CauseKind::stale, "stale");
  add(CauseKind::overwritten, "overwritten by the next call");
  for (size_t i : site.wanted)
    if (!site.outputs.empty() && site.outputs[0].shape() == site.inputs[i].shape() &&
        is_defined(site, with_output_over(site, i))) {
      add(CauseKind::overwritten, text("output over input ", i), 1, i);
      break;
    }
  add(CauseKind::twice, "accumulated over calls");
  add(CauseKind::nondeterministic, "nondeterministic");
  for (const bool on : {true, false})
    if (site.masked && is_defined(site, with_masks(site, on)))
      add(CauseKind::mask_ignored, on ? "mask all true" : "mask all false", on ? 0 : 1);
}

}  // namespace

std::vector<Mutation> mutations(const Function& f, const Vars& inputs, size_t max_inputs) {
  const Site site = examine(f, inputs, max_inputs);
  std::vector<Mutation> all;
  if (site.wanted.empty()) return all;
  for (size_t i : site.wanted) add_for_input(all, site, i);
  for (Mutation& m : all) m.label += text(", input ", m.input);
  add_for_all(all, site);
  return all;
}

}  // namespace glass
