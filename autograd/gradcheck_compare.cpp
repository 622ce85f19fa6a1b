#include <algorithm>
#include <cmath>

#include "autograd/gradcheck_order.h"
#include "tensor/ops.h"

namespace glass {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double norm(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }
double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }
double norm(const Tensor& a) { return std::sqrt(dot(a, a)); }

}  // namespace

Slopes OrderCheck::measure(const Direction& direction) {
  return slopes([this] { return evaluate(); }, center_, noise_, x_, direction, options_.step,
                options_.tolerance / 100);
}

// What rounding may add to <upstream, slopes>.
double OrderCheck::rounding(const Upstream& up, double step) const {
  double total = 0;
  for (size_t o = 0; o < noise_.size(); ++o) total += std::abs(up.values[o]) * noise_[o];
  return 8 * total / step;
}

void OrderCheck::compare() {
  if (x_.numel() == 0) return;
  if (center_.empty()) return expect_zero();
  noise_ = rounding_noise([this] { return evaluate(); }, center_, x_, directions_[0]);
  std::vector<bool> wrong_input(x_.count(), false), wrong_upstream(upstreams_.size(), false);
  bool any_wrong = false, kink = false, constant = true;
  for (const Direction& d : directions_) {
    const Slopes s = measure(d);
    kink = kink || s.has_kink;
    constant = constant && norm(s.central) <= 8 * norm(noise_) / s.step;
    for (size_t k = 0; k < upstreams_.size(); ++k) {
      for (const Tensor& g : upstreams_[k].gradient)
        constant = constant && norm(g) <= rounding(upstreams_[k], s.step);
      if (agree(d, s, upstreams_[k])) continue;
      any_wrong = wrong_upstream[k] = true;
      for (size_t i = 0; i < x_.count(); ++i) wrong_input[i] = wrong_input[i] || d[i].defined();
    }
  }
  report_.directions = static_cast<int>(directions_.size());
  summarize();
  if (!any_wrong && !kink) {
    if (constant) blame(Verdict::vacuous, "the function is constant here: this proves nothing");
    return;
  }
  if (kink) wrong_input.assign(x_.count(), true);
  single_elements(wrong_input, wrong_upstream);
  if (!report_.mismatches.empty())
    blame(Verdict::fail, "the gradient differs from finite differences");
  else if (kink)
    blame(Verdict::kink, "the slopes to the left and to the right differ here");
  else
    blame(Verdict::fail,
          "the gradient differs from finite differences along a random direction, but in no "
          "element");
}

// The gradient of no elements is zero, not memory that nobody has set.
void OrderCheck::expect_zero() {
  for (const Upstream& up : upstreams_)
    for (size_t i = 0; i < x_.count() && !failed(); ++i) {
      const std::vector<double> values = up.gradient[i].to_vector<double>();
      const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return v != 0; });
      if (bad == values.end()) continue;
      GradMismatch m = block(i, up);
      m.index = index_of(bad - values.begin(), m.shape);
      m.analytic = *bad;
      m.compared = static_cast<int64_t>(values.size());
      m.wrong = m.compared - std::count(values.begin(), values.end(), 0.0);
      report_.mismatches.push_back(std::move(m));
      blame(Verdict::fail, "the outputs have no elements, but there is a gradient");
    }
}

// <gradient, d> = <upstream, slopes along d>, relative to the size expected for such a product.
bool OrderCheck::agree(const Direction& d, const Slopes& s, const Upstream& up) {
  double analytic = 0, size = 0;
  for (size_t i = 0; i < x_.count(); ++i) {
    if (!d[i].defined()) continue;
    analytic += dot(up.gradient[i], d[i]);
    size = std::hypot(size, norm(up.gradient[i]));
  }
  const double numeric = dot(up.values, s.central);
  const double scale = std::max(std::abs(numeric), size / 2);
  const double difference = std::abs(analytic - numeric), noise = rounding(up, s.step);
  if (scale > noise) report_.precision = std::max(report_.precision, difference / scale);
  return difference <= options_.tolerance * scale + noise;
}

void OrderCheck::summarize() {
  report_.smallest_gradient = INFINITY;
  for (size_t i = 0; i < x_.count(); ++i) {
    if (x_[i].numel() == 0) continue;
    double size = 0;
    for (const Upstream& up : upstreams_) size = std::max(size, norm(up.gradient[i]));
    if (size <= rounding(upstreams_[0], options_.step))
      report_.idle.push_back(problem_.input_names[i]);
    report_.smallest_gradient =
        std::min(report_.smallest_gradient, size / std::sqrt(static_cast<double>(x_[i].numel())));
  }
}

// The numeric gradient by each element alone. An upstream vector for one output comes before one
// for all, because it can name the output.
void OrderCheck::single_elements(const std::vector<bool>& inputs,
                                 const std::vector<bool>& failing) {
  const auto failed = std::find(failing.begin(), failing.end(), true);
  const size_t over_all =
      failed == failing.end() ? 0 : static_cast<size_t>(failed - failing.begin());
  for (size_t i = 0; i < x_.count(); ++i) {
    if (!inputs[i] || x_[i].numel() == 0) continue;
    const int64_t n = x_[i].numel(), tried = std::min(n, options_.max_elements);
    std::vector<int64_t> positions;
    std::vector<Slopes> numeric;
    for (int64_t j = 0; j < tried; ++j) {  // one from each of so many equal parts
      const int64_t begin = n * j / tried, end = n * (j + 1) / tried;
      positions.push_back(begin + (end - begin > 1 ? generator_.draw_int(end - begin) : 0));
      std::vector<double> one(static_cast<size_t>(n), 0.0);
      one[static_cast<size_t>(positions.back())] = 1;
      Direction d(x_.count());
      d[i] = Tensor::from(one, x_[i].shape());
      numeric.push_back(measure(d));
    }
    bool found = false;
    for (size_t k = static_cast<size_t>(options_.directions); k < upstreams_.size(); ++k)
      found = add_mismatch(i, upstreams_[k], positions, numeric) || found;
    if (!found) add_mismatch(i, upstreams_[over_all], positions, numeric);
  }
}

// At a kink, whatever lies between the slopes to the two sides is right.
bool OrderCheck::add_mismatch(size_t i, const Upstream& up, const std::vector<int64_t>& positions,
                              const std::vector<Slopes>& numeric) {
  const std::vector<double> gradient = up.gradient[i].to_vector<double>();
  double size = 0, worst = 0;
  for (const Slopes& s : numeric) size = std::hypot(size, dot(up.values, s.central));
  size /= std::sqrt(static_cast<double>(numeric.size()));
  GradMismatch m = block(i, up);
  m.compared = static_cast<int64_t>(positions.size());
  for (size_t j = 0; j < positions.size(); ++j) {
    const Slopes& s = numeric[j];
    const double slope = dot(up.values, s.central);
    const double analytic = gradient[static_cast<size_t>(positions[j])];
    double room = 0;
    for (size_t o = 0; o < s.jump.size(); ++o) room += std::abs(up.values[o] * s.jump[o]) / 2;
    const double difference = std::abs(analytic - slope) - room;
    if (difference <= options_.tolerance * std::max(std::abs(slope), size) + rounding(up, s.step))
      continue;
    ++m.wrong;
    if (difference <= worst) continue;
    worst = difference;
    m.index = index_of(positions[j], m.shape);
    m.analytic = analytic;
    m.numeric = slope;
  }
  if (m.wrong == 0) return false;
  report_.mismatches.push_back(std::move(m));
  return true;
}

}  // namespace glass
