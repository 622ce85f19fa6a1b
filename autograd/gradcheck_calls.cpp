#include <cmath>

#include "autograd/gradcheck_order.h"
#include "tensor/ops.h"

// Calls beside the sample: what an op keeps between calls shows itself.
namespace glass {

// Zeros stay and signs do, so that a logarithm or a square root stays defined.
Direction OrderCheck::nearby() {
  Direction d;
  for (size_t i = 0; i < x_.count(); ++i)
    d.push_back(x_[i] * away_from_zero(x_[i].shape(), generator_) * 0.05);
  return d;
}

// Elements change places within their input, which crosses the kinks of a piecewise function but
// stays in the domain of an elementwise one.
Direction OrderCheck::shuffled() {
  Direction d = nearby();
  for (size_t i = 0; i < x_.count(); ++i) {
    const std::vector<double> from = x_[i].to_vector<double>();
    std::vector<double> to;
    for (int64_t p : randperm(x_[i].numel(), generator_).to_vector<int64_t>())
      to.push_back(from[static_cast<size_t>(p)]);
    d[i] = d[i] + Tensor::from(to, x_[i].shape()) - x_[i];
  }
  return d;
}

// All inputs, with whole numbers and masks that have changed places within theirs.
Vars OrderCheck::shuffled_others() {
  Vars all = problem_.all;
  for (Var& x : all) {
    if (!x.defined() || is_floating(x.dtype())) continue;
    const Tensor order = randperm(x.numel(), generator_);
    x = Var(index_select(x.value().reshape({-1}), 0, order).reshape(x.shape()));
  }
  return all;
}

// Whether f is defined where it is called.
bool OrderCheck::succeeds(const std::function<void()>& f) {
  try {
    f();
    return true;
  } catch (const Error&) {  // asked of the sample, it will be reported
    return false;
  }
}

// What an op keeps from its first call would be right at the sample; so that call is made
// elsewhere.
void OrderCheck::call_elsewhere() {
  for (const bool far : {true, false}) {
    first_call_ = far ? shuffled() : nearby();
    x_.move(first_call_, 1);
    first_inputs_ = far ? shuffled_others() : problem_.all;
    const bool done = succeeds([this] {
      const Vars outputs =
          floating_outputs(problem_.f ? problem_.f(first_inputs_) : problem_.record());
      pull_back(outputs, make_upstream(outputs, outputs.size()).seeds, problem_.inputs);
      const std::vector<double> values = flatten(outputs);
      for (double v : values)
        if (!std::isfinite(v)) fail("gradcheck", "the value is not finite");
    });
    x_.restore();
    if (done) return;
  }
}

// What an op keeps in a place that all calls share would still be right; so a call elsewhere comes
// between the recording and its backward.
void OrderCheck::call_again() {
  if (!problem_.f) return;
  for (const bool far : {true, false}) {
    const Direction shift = far ? shuffled() : nearby();
    Vars moved = far ? shuffled_others() : problem_.all;
    size_t i = 0;
    for (Var& x : moved) {
      if (!x.defined() || !x.requires_grad()) continue;
      x = Var(x_[i] + shift[i], true);
      ++i;
    }
    if (succeeds([&] { problem_.f(moved); })) return;
  }
}

std::vector<std::vector<Tensor>> OrderCheck::repeat(const Upstream& up, int recordings, int times) {
  std::vector<std::vector<Tensor>> found;
  for (int r = 0; r < recordings; ++r) {
    const Vars outputs = floating_outputs(problem_.record());
    for (int t = 0; t < times; ++t) found.push_back(pull_back(outputs, up.seeds, problem_.inputs));
  }
  return found;
}

Upstream OrderCheck::fresh_upstream(size_t only) {
  const Vars outputs = floating_outputs(problem_.record());
  Upstream up = make_upstream(outputs, only);
  up.gradient = pull_back(outputs, up.seeds, problem_.inputs);
  return up;
}

}  // namespace glass
