#include <cmath>

#include "autograd/gradcheck_diagnosis.h"
#include "tensor/ops.h"

// Hypotheses that a gradient is right, but of another place or another function.
namespace glass {

double Diagnosis::residual_of(const Facts& f, const Evaluate& evaluate, Displacement& x) {
  try {
    const std::vector<double> center = evaluate();
    if (center.size() != f.upstreams[0].values.size() || !finite(center)) return INFINITY;
    std::vector<double> analytic, h;
    for (int k = 0; k < 4; ++k) {
      Direction d(x.count());
      d[f.input] = away_from_zero(f.shape, check_.generator());
      const std::vector<double> noise = rounding_noise(evaluate, center, x, d);
      const Slopes s = slopes(evaluate, center, noise, x, d, check_.options().step,
                              check_.options().tolerance / 100);
      for (const Upstream& up : f.upstreams) {
        analytic.push_back(sum(up.gradient[f.input] * d[f.input]).item());
        h.push_back(dot(up.values, s.central));
      }
    }
    return finite(h) ? residual(analytic, h) : INFINITY;
  } catch (const Error&) {  // the function does not exist there
    return INFINITY;
  }
}

double Diagnosis::residual_at(const Facts& f, const Direction& shift, const Vars& all) {
  Displacement& x = check_.inputs();
  const GradProblem& problem = check_.problem();
  const NoGrad off;
  x.move(shift, 1);
  double r = 0;
  {
    std::vector<Tensor> there;
    for (size_t i = 0; i < x.count(); ++i) there.push_back(x[i]);
    Displacement moved(there);
    const auto evaluate = [&] {
      return flatten(floating_outputs(all.empty() ? problem.evaluate() : problem.f(all)));
    };
    r = residual_of(f, evaluate, moved);
  }
  x.restore();
  return r;
}

// The right gradient, but of another place or of another function.
void Diagnosis::elsewhere(Facts& f) {
  Displacement& x = check_.inputs();
  propose(f, CauseKind::stale, "stale: analytic is the gradient where the first call was made",
          residual_at(f, check_.first_call(), check_.first_inputs()));
  for (size_t i = 0; i < x.count() && x.count() > 1; ++i) {
    Direction shift(x.count());
    shift[i] = check_.first_call()[i];
    propose(f, CauseKind::stale,
            "stale: what is kept of " + check_.problem().input_names[i] + " is from the first call",
            residual_at(f, shift, {}));
  }
  for (const auto& unmasked : check_.problem().unmasked)
    propose(f, CauseKind::mask_ignored, "mask ignored: analytic is the gradient without the mask",
            residual_of(
                f, [&] { return flatten(floating_outputs(unmasked())); }, x));
  size_t at = 0;
  for (size_t o = 0; o < check_.output_shapes().size(); ++o) {
    const Shape& shape = check_.output_shapes()[o];
    const auto begin = check_.center().begin() + static_cast<long>(at);
    const std::vector<double> y(begin, begin + static_cast<long>(numel(shape)));
    at += y.size();
    for (size_t i = 0; i < x.count(); ++i) {
      if (!(x[i].shape() == shape)) continue;
      Direction shift(x.count());
      shift[i] = Tensor::from(y, shape) - x[i];
      propose(f, CauseKind::overwritten,
              "a saved value is overwritten: backward reads the output in place of " +
                  check_.problem().input_names[i],
              residual_at(f, shift, {}));
    }
  }
  for (size_t i = 0; i < x.count(); ++i) {
    Direction shift(x.count());
    shift[i] = x[i] * -1.0;
    propose(f, CauseKind::overwritten,
            "a saved value is overwritten: backward reads zeros in place of " +
                check_.problem().input_names[i],
            residual_at(f, shift, {}));
  }
}

}  // namespace glass
