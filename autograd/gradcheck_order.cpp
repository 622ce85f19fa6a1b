#include "autograd/gradcheck_order.h"

#include <algorithm>
#include <cmath>

#include "autograd/gradcheck_walk.h"
#include "tensor/ops.h"

namespace glass {
namespace {

std::vector<Tensor> values_of(const Vars& inputs) {
  std::vector<Tensor> values;
  for (const Var& x : inputs) values.push_back(x.value());
  return values;
}

bool is_finite(double v) { return std::isfinite(v); }
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

std::vector<double> flatten(const Vars& outputs) {
  std::vector<double> all;
  for (const Var& y : outputs) {
    const std::vector<double> values = y.value().to_vector<double>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<Tensor> pull_back(const Vars& outputs, const Vars& seeds, const Vars& inputs) {
  Vars used, upstream;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!seeds[o].defined() || !outputs[o].requires_grad()) continue;
    used.push_back(outputs[o]);
    upstream.push_back(seeds[o]);
  }
  const Vars found =
      used.empty() ? Vars(inputs.size()) : grad(used, inputs, upstream, {.retain_graph = true});
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < inputs.size(); ++i)
    gradients.push_back(found[i].defined() ? found[i].value()
                                           : Tensor::zeros(inputs[i].shape(), kFloat64));
  return gradients;
}

std::vector<int64_t> index_of(int64_t position, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

Vars floating_outputs(const Vars& outputs) {
  Vars kept;
  for (const Var& y : outputs) {
    if (!y.defined() || !is_floating(y.dtype())) continue;
    if (y.dtype() != kFloat64)
      fail("gradcheck", "outputs must be float64, or rounding hides mistakes", "got ",
           name_of(y.dtype()));
    kept.push_back(y);
  }
  return kept;
}

OrderCheck::OrderCheck(const GradProblem& problem, const CheckOptions& options)
    : problem_(problem),
      options_(options),
      generator_(options.seed),
      x_(values_of(problem.inputs)),
      precision_(x_.count(), 0.0),
      size_(x_.count(), 0.0),
      tried_(x_.count()) {}

OrderReport OrderCheck::run() {
  report_.checked = true;
  make_directions();
  call_elsewhere();
  find_outputs();
  if (failed()) return report_;
  find_gradients();
  if (!failed())
    compare();
  else if (!report_.mismatches.empty() && options_.diagnose)
    report_.where = first_disagreement(problem_, x_, options_, [this] { call_again(); });
  return report_;
}

void OrderCheck::blame(Verdict verdict, std::string cause) {
  report_.verdict = verdict;
  report_.cause = std::move(cause);
}

std::string OrderCheck::output_name(size_t o) const {
  return o < problem_.output_names.size() ? problem_.output_names[o] : text("output ", o);
}

std::vector<double> OrderCheck::evaluate() const {
  std::vector<double> y = flatten(floating_outputs(problem_.evaluate()));
  if (y.size() != center_.size() && !center_.empty())
    fail("gradcheck", "the number of output elements differs between calls", center_.size(),
         " and ", y.size());
  return y;
}

void OrderCheck::find_outputs() {
  center_ = evaluate();
  const std::vector<double> again = evaluate();
  if (const size_t i = x_.first_changed(); i < x_.count()) {
    x_.restore();
    return blame(Verdict::fail, text("the function changes ", problem_.input_names[i]));
  }
  if (!std::equal(center_.begin(), center_.end(), again.begin(), again.end(), same))
    return blame(Verdict::fail, "nondeterministic: two calls give different values");
  if (!std::all_of(center_.begin(), center_.end(), is_finite))
    blame(Verdict::fail, "the function's value is not finite");
}

// Along all inputs at once, and along each alone.
void OrderCheck::make_directions() {
  for (int k = 0; k < options_.directions; ++k) {
    Direction d;
    for (size_t i = 0; i < x_.count(); ++i) d.push_back(away_from_zero(x_[i].shape(), generator_));
    directions_.push_back(std::move(d));
  }
  for (size_t i = 0; i < x_.count() && x_.count() > 1; ++i) {
    if (x_[i].numel() == 0) continue;
    Direction d(x_.count());
    d[i] = away_from_zero(x_[i].shape(), generator_);
    directions_.push_back(std::move(d));
  }
}

// Every second one lies in memory the other way round.
Var OrderCheck::random_upstream(const Shape& shape) {
  reversed_ = !reversed_;
  if (!reversed_ || shape.size() < 2) return Var(away_from_zero(shape, generator_));
  Shape turned;
  Dims back;
  for (int i = shape.size() - 1; i >= 0; --i) {
    turned.push_back(shape[i]);
    back.push_back(i);
  }
  return Var(away_from_zero(turned, generator_).permute(back));
}

Upstream OrderCheck::make_upstream(const Vars& outputs, size_t only) {
  const bool all = only >= outputs.size();
  Upstream up;
  up.output = all && outputs.size() != 1 ? "all outputs" : output_name(all ? 0 : only);
  for (size_t o = 0; o < outputs.size(); ++o) {
    std::vector<double> values(static_cast<size_t>(outputs[o].numel()), 0.0);
    if (all || o == only) {
      up.seeds.push_back(random_upstream(outputs[o].shape()));
      values = up.seeds[o].value().to_vector<double>();
    } else {
      up.seeds.emplace_back();
    }
    up.values.insert(up.values.end(), values.begin(), values.end());
  }
  return up;
}

// Upstream vectors over all outputs and, where there are several, one for each alone.
void OrderCheck::find_gradients() {
  const Vars outputs = floating_outputs(problem_.record());
  const std::vector<double> recorded = flatten(outputs);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
  if (!std::equal(recorded.begin(), recorded.end(), center_.begin(), center_.end(), near))
    return blame(Verdict::fail, problem_.differs_when_recorded);
  if (outputs.empty())
    return blame(Verdict::vacuous, "no output is a floating tensor: this proves nothing");
  for (const Var& y : outputs) output_shapes_.push_back(y.shape());
  call_again();
  const size_t all = static_cast<size_t>(options_.directions);
  const size_t total = all + (outputs.size() > 1 ? outputs.size() : 0);
  for (size_t k = 0; k < total; ++k) {
    upstreams_.push_back(make_upstream(outputs, k < all ? outputs.size() : k - all));
    Upstream& up = upstreams_.back();
    try {
      up.gradient = pull_back(outputs, up.seeds, problem_.inputs);
    } catch (const Error& error) {
      return refused(outputs, up, error);
    }
    for (size_t i = 0; i < x_.count(); ++i) {
      check_gradient(i, up);
      if (failed()) return;
    }
  }
  report_.upstreams = static_cast<int>(upstreams_.size());
}

// Backward threw. The first input whose gradient alone cannot be found has the blame.
void OrderCheck::refused(const Vars& outputs, const Upstream& up, const Error& error) {
  size_t i = 0;
  for (; i < x_.count(); ++i) {
    try {
      pull_back(outputs, up.seeds, {problem_.inputs[i]});
    } catch (const Error&) {
      break;
    }
  }
  if (i == x_.count()) return blame(Verdict::fail, error.what());
  GradBlock b = block(i, up);
  if (error.relation().find("wrong shape") != std::string::npos ||
      error.relation().find("wrong type") != std::string::npos)
    b.causes.push_back({CauseKind::shape, error.values()});
  if (error.relation().find("was changed in place") != std::string::npos)
    b.causes.push_back({CauseKind::overwritten, error.relation()});
  report_.mismatches.push_back(std::move(b));
  blame(Verdict::fail, problem_.input_names[i] + ": " + error.what());
}

void OrderCheck::check_gradient(size_t i, const Upstream& up) {
  const Tensor& g = up.gradient[i];
  if (!(g.shape() == x_[i].shape()) || g.dtype() != kFloat64)
    return blame(Verdict::fail, text(problem_.input_names[i], ": the gradient is ", g.shape(), " ",
                                     g.dtype(), " for ", x_[i].shape()));
  if (all_finite(g)) return;
  const std::vector<double> values = g.to_vector<double>();
  const auto bad = std::find_if_not(values.begin(), values.end(), is_finite);
  GradBlock m = block(i, up);
  m.index = index_of(bad - values.begin(), m.shape);
  m.analytic = *bad;
  m.numeric = numeric_element(i, bad - values.begin(), up);
  m.compared = g.numel();
  m.wrong = m.compared - std::count_if(values.begin(), values.end(), is_finite);
  m.causes.push_back({CauseKind::nan, text("not a number: ", m.wrong, " of ", m.compared,
                                           " elements are not finite")});
  report_.mismatches.push_back(std::move(m));
  blame(Verdict::fail, "a gradient is not finite");
}

double OrderCheck::numeric_element(size_t i, int64_t element, const Upstream& up) {
  noise_ = rounding_noise([this] { return evaluate(); }, center_, x_, directions_[0]);
  return dot(up.values, column(i, element).central);
}

size_t OrderCheck::position_of(const GradBlock& block) const {
  const auto at = std::find(problem_.numbers.begin(), problem_.numbers.end(), block.input_number);
  return static_cast<size_t>(at - problem_.numbers.begin());
}

GradBlock OrderCheck::block(size_t i, const Upstream& up) const {
  GradBlock m;
  m.verdict = Verdict::fail;
  m.output = up.output;
  m.input = problem_.input_names[i];
  m.input_number = problem_.numbers[i];
  m.shape = x_[i].shape();
  return m;
}

}  // namespace glass
