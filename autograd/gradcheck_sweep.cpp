#include <algorithm>
#include <cmath>

#include "autograd/gradcheck_diagnosis.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// Differences that do not depend on the step are the rule's, those that grow at small steps are
// rounding, and at a kink the two sides never meet.
std::string reading(const std::vector<StepError>& sweep, double tolerance, bool& floor) {
  const auto at = [&](double step) {
    return std::find_if(sweep.begin(), sweep.end(),
                        [&](const StepError& e) { return e.step < step * 1.5; });
  };
  const auto wide = at(1e-3), narrow = at(1e-5);
  if (wide == sweep.end() || narrow == sweep.end() || wide == narrow) return "";
  const auto best = std::min_element(
      sweep.begin(), sweep.end(),
      [](const StepError& a, const StepError& b) { return a.difference < b.difference; });
  const double small = sweep.back().difference;
  const bool noisy = small > 10 * best->difference && small > 3 * narrow->difference;
  if (!noisy && narrow->sides > 1e-3 && narrow->sides > wide->sides / 3 &&
      narrow->sides < wide->sides * 3)
    return text("the slopes to the right and to the left differ by ", rough(narrow->sides),
                " however small the step: a kink");
  if (!noisy && best->difference > 0.5 * wide->difference &&
      best->difference > 0.3 * narrow->difference && narrow->difference < 2 * wide->difference)
    return text("the difference stays at ", rough(narrow->difference),
                " for every step: a wrong rule");
  if (small > 10 * best->difference && best->difference > 10 * tolerance) {
    floor = true;
    return text("the difference is least at step ", rough(best->step), " (",
                rough(best->difference), ") and grows below it, to ", rough(small), " at ",
                rough(sweep.back().step), ": a floor of precision");
  }
  return text("the difference is least at step ", rough(best->step), ": ", rough(best->difference));
}

}  // namespace

void Diagnosis::sweep(size_t input, OrderReport& report) {
  const Upstream& up = check_.upstreams()[0];
  Displacement& x = check_.inputs();
  if (x[input].numel() == 0) return;
  Direction d(x.count());
  d[input] = away_from_zero(x[input].shape(), check_.generator());
  const double analytic = sum(up.gradient[input] * d[input]).item();
  const double center = dot(up.values, check_.center());
  const auto value = [&](double distance) {
    x.move(d, distance);
    return dot(up.values, flatten(floating_outputs(check_.problem().evaluate())));
  };
  for (double h = 1e-1; h > 0.5e-9; h /= 10) {
    try {
      const double right = value(h), left = value(-h);
      const double slope = (right - left) / (2 * h),
                   size = std::max(std::abs(slope), std::abs(analytic));
      if (!std::isfinite(slope) || size == 0) continue;
      report.sweep.push_back(
          {h, std::abs(slope - analytic) / size, std::abs(right - 2 * center + left) / h / size});
    } catch (const Error&) {  // the function does not exist there
    }
  }
  x.restore();
  bool floor = false;
  if (report.sweep.size() > 3)
    report.sweep_text = reading(report.sweep, check_.options().tolerance, floor);
  if (!floor) return;
  for (GradBlock& b : report.mismatches)
    if (check_.position_of(b) == input && b.causes.empty())
      b.causes.push_back({CauseKind::precision, "precision: " + report.sweep_text, 0});
}

}  // namespace glass
