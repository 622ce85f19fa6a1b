#include <algorithm>
#include <cmath>

#include "autograd/gradcheck_diagnosis.h"
#include "autograd/gradcheck_order.h"
#include "autograd/gradcheck_walk.h"
#include "tensor/ops.h"

namespace glass {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double norm(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }

double dot(const Tensor& a, const Tensor& b) { return sum(a.to(kFloat64) * b.to(kFloat64)).item(); }
double norm(const Tensor& a) { return std::sqrt(dot(a, a)); }

namespace {

// The only input a direction moves, or count: it moves several.
size_t only_input(const Direction& d) {
  size_t found = d.size();
  for (size_t i = 0; i < d.size(); ++i) {
    if (!d[i].defined()) continue;
    if (found < d.size()) return d.size();
    found = i;
  }
  return found;
}

}  // namespace

Slopes OrderCheck::measure(const Direction& direction) {
  return slopes([this] { return evaluate(); }, center_, noise_, x_, direction, options_.step,
                options_.tolerance / 100);
}

const Slopes& OrderCheck::column(size_t i, int64_t element) {
  const auto [place, fresh] = columns_.try_emplace({i, element});
  if (!fresh) return place->second;
  std::vector<double> one(static_cast<size_t>(x_[i].numel()), 0.0);
  one[static_cast<size_t>(element)] = 1;
  Direction d(x_.count());
  d[i] = Tensor::from(one, x_[i].shape());
  return place->second = measure(d);
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
  if (options_.gear == 2) refuse_unreasonable();
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
      if (const size_t only = only_input(d); only < x_.count()) wrong_input[only] = true;
    }
  }
  report_.directions = static_cast<int>(directions_.size());
  summarize();
  const bool each = options_.gear == 2;
  if (!any_wrong && !kink && constant)
    blame(Verdict::vacuous, "the function is constant here: this proves nothing");
  if (!any_wrong && !kink && (constant || !each)) return list_others();
  const bool none = std::find(wrong_input.begin(), wrong_input.end(), true) == wrong_input.end();
  if (kink || each || none) wrong_input.assign(x_.count(), true);
  single_elements(wrong_input, wrong_upstream);
  if (!report_.mismatches.empty())
    blame(Verdict::fail, "the gradient differs from finite differences");
  else if (kink)
    blame(Verdict::kink, "the slopes to the left and to the right differ here");
  else if (any_wrong)
    blame(Verdict::fail,
          "the gradient differs from finite differences along a random direction, but in no "
          "element");
  list_others();
  if (failed() && options_.diagnose) explain(kink);
}

// Each element of an input costs some evaluations, and leaves a number per output element.
void OrderCheck::refuse_unreasonable() const {
  constexpr int64_t kColumns = 20000, kNumbers = 20000000;
  int64_t columns = 0;
  for (size_t i = 0; i < x_.count(); ++i)
    columns += options_.columns > 0 ? std::min(options_.columns, x_[i].numel()) : x_[i].numel();
  const int64_t outputs = static_cast<int64_t>(center_.size());
  if (columns <= kColumns && columns * outputs <= kNumbers) return;
  const int64_t possible = std::min(kColumns, kNumbers / outputs);
  fail("gradcheck", "gear 2 would take unreasonably long", columns, " elements one by one, ",
       outputs, " outputs each; use gear 1, or sample: columns = ",
       std::max<int64_t>(1, possible / static_cast<int64_t>(2 * x_.count())));
}

// The gradient of no elements is zero, not memory that nobody has set.
void OrderCheck::expect_zero() {
  for (const Upstream& up : upstreams_)
    for (size_t i = 0; i < x_.count() && !failed(); ++i) {
      const std::vector<double> values = up.gradient[i].to_vector<double>();
      const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return v != 0; });
      if (bad == values.end()) continue;
      GradBlock m = block(i, up);
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
  if (scale > noise) {
    report_.precision = std::max(report_.precision, difference / scale);
    if (const size_t only = only_input(d); only < x_.count())
      precision_[only] = std::max(precision_[only], difference / scale);
  }
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
    size_[i] = size / std::sqrt(static_cast<double>(x_[i].numel()));
    report_.smallest_gradient = std::min(report_.smallest_gradient, size_[i]);
  }
}

void OrderCheck::list_others() {
  for (size_t i = 0; i < x_.count(); ++i) {
    const auto is_this = [&](const GradBlock& b) { return position_of(b) == i; };
    for (GradBlock& b : report_.mismatches)
      if (is_this(b)) b.precision = precision_[i], b.size = size_[i];
    if (std::any_of(report_.mismatches.begin(), report_.mismatches.end(), is_this)) continue;
    GradBlock b = block(i, upstreams_[0]);
    const auto idle = std::find(report_.idle.begin(), report_.idle.end(), b.input);
    b.verdict = idle == report_.idle.end() ? Verdict::pass : Verdict::vacuous;
    b.precision = precision_[i];
    b.size = size_[i];
    report_.others.push_back(std::move(b));
  }
}

// The numeric gradient by each element alone. An upstream vector for one output comes before one
// for all, because it can name the output.
void OrderCheck::single_elements(const std::vector<bool>& inputs,
                                 const std::vector<bool>& failing) {
  constexpr int64_t kNumbers = 5000000;  // kept of an input at a time
  const auto failed = std::find(failing.begin(), failing.end(), true);
  const size_t over_all =
      failed == failing.end() ? 0 : static_cast<size_t>(failed - failing.begin());
  for (size_t i = 0; i < x_.count(); ++i) {
    if (!inputs[i] || x_[i].numel() == 0) continue;
    const int64_t n = x_[i].numel();
    const int64_t room = std::max<int64_t>(16, kNumbers / static_cast<int64_t>(center_.size()));
    int64_t tried = std::min({n, options_.max_elements, room});
    if (options_.gear == 2) {
      tried = options_.columns > 0 ? std::min(n, options_.columns) : n;
      report_.missed =
          std::max(report_.missed, static_cast<double>(n - tried) / static_cast<double>(n));
    }
    for (int64_t j = 0; j < tried; ++j) {  // one from each of so many equal parts
      const int64_t begin = n * j / tried, end = n * (j + 1) / tried;
      tried_[i].push_back(begin + (end - begin > 1 ? generator_.draw_int(end - begin) : 0));
    }
    bool found = false;
    for (size_t k = upstreams_over_all(); k < upstreams_.size(); ++k)
      found = add_mismatch(i, upstreams_[k]) || found;
    if (!found) add_mismatch(i, upstreams_[over_all]);
  }
}

// At a kink, whatever lies between the slopes to the two sides is right.
bool OrderCheck::add_mismatch(size_t i, const Upstream& up) {
  const std::vector<double> gradient = up.gradient[i].to_vector<double>();
  const std::vector<int64_t>& positions = tried_[i];
  double size = 0, worst = 0;
  for (int64_t p : positions) size = std::hypot(size, dot(up.values, column(i, p).central));
  size /= std::sqrt(static_cast<double>(positions.size()));
  GradBlock m = block(i, up);
  m.compared = static_cast<int64_t>(positions.size());
  std::vector<int64_t> wrong;
  std::vector<double> ratios;
  for (int64_t p : positions) {
    const Slopes& s = column(i, p);
    const double slope = dot(up.values, s.central);
    const double analytic = gradient[static_cast<size_t>(p)];
    if (std::abs(slope) > 1e-6 * size) ratios.push_back(analytic / slope);
    double room = 0;
    for (size_t o = 0; o < s.jump.size(); ++o) room += std::abs(up.values[o] * s.jump[o]) / 2;
    const double difference = std::abs(analytic - slope) - room;
    if (difference <= options_.tolerance * std::max(std::abs(slope), size) + rounding(up, s.step))
      continue;
    wrong.push_back(p);
    if (difference <= worst) continue;
    worst = difference;
    m.index = index_of(p, m.shape);
    m.analytic = analytic;
    m.numeric = slope;
  }
  if (wrong.empty()) return false;
  m.wrong = static_cast<int64_t>(wrong.size());
  m.place = place_in_words(wrong, positions, m.shape);
  m.ratio = statistics(ratios);
  report_.mismatches.push_back(std::move(m));
  return true;
}

void OrderCheck::explain(bool kink) {
  Diagnosis diagnosis(*this);
  for (GradBlock& b : report_.mismatches) diagnosis.explain(b);
  size_t input = 0;
  if (!report_.mismatches.empty()) input = position_of(report_.mismatches[0]);
  diagnosis.sweep(input, report_);
  if (kink && report_.mismatches.empty()) return;
  for (const GradBlock& b : report_.mismatches)  // where nothing is exact, every op would be off
    if (!b.causes.empty() && b.causes[0].kind == CauseKind::precision) return;
  report_.where = first_disagreement(problem_, x_, options_, [this] { call_again(); });
}

}  // namespace glass
