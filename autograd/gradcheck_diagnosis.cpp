#include "autograd/gradcheck_diagnosis.h"

#include <algorithm>
#include <cmath>

#include "tensor/ops.h"

namespace glass {
namespace {

constexpr double kFits = 1e-5;  // residual of a hypothesis that is true
constexpr size_t kFew = 200;    // elements that costly hypotheses are tried on
constexpr double kZero = 1e-9;  // relative to the largest

std::vector<double> times(std::vector<double> a, double factor) {
  for (double& v : a) v *= factor;
  return a;
}

double largest(const std::vector<double>& a) {
  double m = 0;
  for (double v : a) m = std::max(m, std::abs(v));
  return m;
}

}  // namespace

void Diagnosis::explain(GradBlock& block) {
  if (block.compared == 0 || !block.causes.empty()) return;
  const auto found = [&](std::vector<Upstream> upstreams) {
    Facts facts = facts_of(check_.position_of(block), std::move(upstreams));
    if (!(facts.wrong > 0) || !finite(facts.numeric)) return false;
    all(facts);
    const auto by_residual = [](const Cause& a, const Cause& b) { return a.residual < b.residual; };
    std::stable_sort(facts.rest.begin(), facts.rest.end(), by_residual);
    if (facts.rest.size() > 2) facts.rest.resize(2);
    const auto by_kind = [](const Cause& a, const Cause& b) { return a.kind < b.kind; };
    std::stable_sort(facts.fit.begin(), facts.fit.end(), by_kind);
    if (facts.fit.empty() && !block.runners_up.empty()) return false;
    block.causes = facts.fit;
    block.runners_up = facts.rest;
    return !facts.fit.empty();
  };
  const std::vector<Upstream>& known = check_.upstreams();
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(check_.upstreams_over_all());
  if (found({known.begin(), end})) return;
  const size_t outputs = check_.output_shapes().size();
  for (size_t o = 0; o < outputs && outputs > 1; ++o) {  // perhaps of one output alone
    std::vector<Upstream> alone;
    for (int k = 0; k < 3; ++k) alone.push_back(check_.fresh_upstream(o));
    if (alone[0].output == block.output) found(std::move(alone));
  }
}

Diagnosis::Facts Diagnosis::facts_of(size_t input, std::vector<Upstream> upstreams) {
  Facts f;
  f.input = input;
  f.shape = check_.inputs()[input].shape();
  f.elements = check_.tried(input);
  f.upstreams = std::move(upstreams);
  for (const Upstream& up : f.upstreams) {
    const std::vector<double> g = up.gradient[input].to_vector<double>();
    for (int64_t e : f.elements) {
      f.analytic.push_back(g[static_cast<size_t>(e)]);
      f.numeric.push_back(dot(up.values, check_.column(input, e).central));
    }
  }
  f.wrong = residual(f.analytic, f.numeric);
  const size_t n = f.elements.size(), few = std::min(n, kFew);
  for (size_t j = 0; j < few; ++j) f.few.push_back(j * n / few);
  for (size_t k = 0; k < f.upstreams.size(); ++k)
    for (size_t e : f.few) f.analytic_few.push_back(f.analytic[k * n + e]);
  return f;
}

// A hypothesis fits when it explains all but a small part of the error.
void Diagnosis::propose(Facts& f, CauseKind kind, std::string words, double r) const {
  if (!std::isfinite(r)) return;
  const double accuracy = std::max(kFits, 10 * check_.options().tolerance);
  const bool fits = r <= accuracy && r <= 0.05 * f.wrong;
  (fits ? f.fit : f.rest).push_back({kind, std::move(words), r});
}

void Diagnosis::compare(Facts& f, CauseKind kind, std::string words,
                        const std::vector<double>& h) const {
  propose(f, kind, std::move(words), residual(f.analytic, h, 0.01 * norm(f.numeric)));
}

void Diagnosis::compare_few(Facts& f, CauseKind kind, std::string words,
                            const std::vector<double>& h) const {
  propose(f, kind, std::move(words), residual(f.analytic_few, h, 0.01 * norm(f.numeric)));
}

void Diagnosis::all(Facts& f) {
  calls(f);
  const bool depends_on_calls = !f.fit.empty();
  scaled(f);
  permuted(f);
  swapped(f);
  upstream(f);
  partly(f);
  const bool cheap = check_.inputs().count() <= 4;
  if (f.fit.empty() || (cheap && !depends_on_calls)) elsewhere(f);
}

// The same upstream vector again, on fresh recordings and twice on one.
void Diagnosis::calls(Facts& f) {
  const auto at = [&](const std::vector<Tensor>& gradient) {
    const std::vector<double> g = gradient[f.input].to_vector<double>();
    std::vector<double> chosen;
    for (int64_t e : f.elements) chosen.push_back(g[static_cast<size_t>(e)]);
    return chosen;
  };
  const Upstream& up = f.upstreams[0];
  const auto calls = check_.repeat(up, 4, 1);
  const std::vector<double> one = at(calls[0]), two = at(calls[1]), three = at(calls[2]),
                            four = at(calls[3]);
  const size_t n = f.elements.size();
  const std::vector<double> first(f.analytic.begin(), f.analytic.begin() + static_cast<long>(n)),
      truth(f.numeric.begin(), f.numeric.begin() + static_cast<long>(n));
  if (residual(two, three) > kZero || residual(three, four) > kZero) {
    const std::vector<double> step = minus(three, two), next = minus(four, three);
    if (residual(step, next) < 1e-6)
      return propose(f, CauseKind::twice, "each call adds to what the one before it left",
                     residual(step, truth));
    return propose(f, CauseKind::nondeterministic,
                   text("nondeterministic: another gradient at every call, up to ",
                        residual(two, three), " apart"),
                   0);
  }
  if (residual(two, first) > kZero)
    propose(f, CauseKind::overwritten,
            "a value saved for backward is overwritten by a later call: right only when backward "
            "follows its own forward",
            residual(two, truth));
  const auto again = check_.repeat(up, 1, 2);
  const std::vector<double> before = at(again[0]), after = at(again[1]);
  if (residual(before, after) > kZero)
    propose(f, CauseKind::overwritten,
            "backward overwrites what it saved: right only the first time on a graph",
            residual(before, truth));
}

void Diagnosis::scaled(Facts& f) const {
  const double size = norm(f.numeric), own = norm(f.analytic);
  propose(f, CauseKind::missing, "missing: the analytic gradient is zero",
          size > 0 ? own / size : INFINITY);
  if (size == 0 || own == 0) return;
  compare(f, CauseKind::sign, "sign: analytic equals -numeric", times(f.numeric, -1));
  const double factor = dot(f.analytic, f.numeric) / (size * size);
  const double off = residual(f.analytic, times(f.numeric, factor));
  if (std::abs(factor + 1) < 1e-4 || std::abs(factor) < 1e-9) return;
  std::vector<Shape> shapes = check_.output_shapes();
  shapes.push_back(f.shape);
  propose(f, CauseKind::factor, "factor: analytic is " + factor_in_words(factor, shapes), off);
  if (std::abs(factor - 2) < 1e-4)
    propose(f, CauseKind::twice, "accumulated twice: analytic is 2 times numeric", off);
}

void Diagnosis::permuted(Facts& f) {
  for (const Dims& axes : axis_orders(f.shape.size())) {
    const std::vector<int64_t> from = permuted_elements(f.shape, axes);
    std::vector<double> h;
    for (const Upstream& up : f.upstreams)
      for (size_t e : f.few) {
        const int64_t source = from[static_cast<size_t>(f.elements[e])];
        h.push_back(dot(up.values, check_.column(f.input, source).central));
      }
    const double r = residual(f.analytic_few, h);
    const int last = f.shape.size() - 1;
    bool transposed = axes[last] == last - 1 && axes[last - 1] == last;
    for (int i = 0; i + 1 < last; ++i) transposed = transposed && axes[i] == i;
    std::string order;
    for (int i = 0; i <= last; ++i) order += (i > 0 ? ", " : "") + text(axes[i]);
    if (transposed)
      propose(f, CauseKind::transposed, "transposed: analytic equals numericᵀ", r);
    else
      propose(f, CauseKind::permuted,
              "permuted: analytic equals numeric with its axes in the order " + order, r);
  }
}

void Diagnosis::swapped(Facts& f) {
  for (size_t j = 0; j < check_.inputs().count(); ++j) {
    if (j == f.input || check_.inputs()[j].numel() != check_.inputs()[f.input].numel()) continue;
    std::vector<double> h;
    for (const Upstream& up : f.upstreams)
      for (size_t e : f.few) h.push_back(dot(up.values, check_.column(j, f.elements[e]).central));
    compare_few(f, CauseKind::swapped,
                "swapped: analytic is the gradient of " + check_.problem().input_names[j], h);
  }
}

std::vector<double> Diagnosis::pulled(const Facts& f,
                                      const std::vector<std::vector<double>>& upstreams) {
  std::vector<double> h;
  for (const std::vector<double>& up : upstreams)
    for (size_t e : f.few) h.push_back(dot(up, check_.column(f.input, f.elements[e]).central));
  return h;
}

void Diagnosis::upstream(Facts& f) {
  const std::vector<Shape>& outputs = check_.output_shapes();
  std::vector<std::vector<double>> given;
  for (const Upstream& up : f.upstreams) given.push_back(up.values);
  const std::vector<double> ones(given[0].size(), 1.0);
  compare_few(f, CauseKind::upstream_ignored,
              "upstream ignored: analytic is the gradient of the sum",
              pulled(f, std::vector(given.size(), ones)));
  const size_t n = f.elements.size();
  double apart = 0;
  for (size_t k = 1; k < given.size(); ++k)
    for (size_t e = 0; e < n; ++e) apart = std::hypot(apart, f.analytic[k * n + e] - f.analytic[e]);
  if (norm(f.analytic) > 0)
    propose(f, CauseKind::upstream_ignored,
            "upstream ignored: analytic is the same for every upstream vector",
            apart / norm(f.analytic));

  int axes = 0;
  for (const Shape& shape : outputs) axes = std::max(axes, shape.size());
  const auto changed = [&](const auto& change) {
    std::vector<std::vector<double>> all = given;
    for (std::vector<double>& values : all) {
      size_t at = 0;
      for (const Shape& shape : outputs) {
        const size_t end = at + static_cast<size_t>(numel(shape));
        change(shape, std::span<double>(values).subspan(at, end - at));
        at = end;
      }
    }
    return pulled(f, all);
  };
  bool last_two = true;  // of every output
  for (const Dims& order : axis_orders(axes)) {
    std::string words;
    for (int64_t axis : order) words += (words.empty() ? "" : ", ") + text(axis);
    compare_few(f, CauseKind::wrong_axis,
                "wrong axis: upstream is read or reduced with its axes in the order " + words,
                changed([&](const Shape& shape, std::span<double> u) {
                  const bool fits = shape.size() == order.size();
                  if (!fits && (!last_two || shape.size() < 2)) return;
                  const std::vector<int64_t> from =
                      permuted_elements(shape, fits ? order : axis_orders(shape.size())[0]);
                  const std::vector<double> before(u.begin(), u.end());
                  for (size_t q = 0; q < u.size(); ++q) u[q] = before[static_cast<size_t>(from[q])];
                }));
    last_two = false;
  }
  if (axes > 4) return;
  for (int chosen = 1; chosen < 1 << axes; ++chosen)
    for (const bool last : {false, true}) {
      std::string words;
      for (int axis = 0; axis < axes; ++axis)
        if (chosen & 1 << axis) words += (words.empty() ? "axis " : " and ") + text(axis);
      compare_few(f, CauseKind::not_reduced,
                  text("not reduced: only the ", last ? "last" : "first", " entry along ", words,
                       " of the output is counted, not their sum"),
                  changed([&](const Shape& shape, std::span<double> u) {
                    for (size_t q = 0; q < u.size(); ++q) {
                      const std::vector<int64_t> at = index_of(static_cast<int64_t>(q), shape);
                      for (int axis = 0; axis < shape.size(); ++axis)
                        if (chosen & 1 << axis &&
                            at[static_cast<size_t>(axis)] != (last ? shape[axis] - 1 : 0))
                          u[q] = 0;
                    }
                  }));
    }
}

// What is zero where the slope is not, and the other way round.
void Diagnosis::partly(Facts& f) const {
  const size_t n = f.elements.size();
  const double zero_a = kZero * largest(f.analytic), zero_n = 1e-7 * largest(f.numeric);
  std::vector<int64_t> dropped, unmasked;
  std::vector<double> without_dropped = f.numeric, with_unmasked = f.numeric;
  for (size_t e = 0; e < n; ++e) {
    bool a = false, t = false;
    for (size_t k = 0; k < f.upstreams.size(); ++k) {
      a = a || std::abs(f.analytic[k * n + e]) > zero_a;
      t = t || std::abs(f.numeric[k * n + e]) > zero_n;
    }
    if (!a && t) dropped.push_back(f.elements[e]);
    if (a && !t) unmasked.push_back(f.elements[e]);
    for (size_t k = 0; k < f.upstreams.size(); ++k) {
      if (!a && t) without_dropped[k * n + e] = 0;
      if (a && !t) with_unmasked[k * n + e] = f.analytic[k * n + e];
    }
  }
  if (!dropped.empty() && dropped.size() < n)
    compare(
        f, CauseKind::dropped,
        "dropped: zero at " + place_in_words(dropped, f.elements, f.shape) + ", right elsewhere",
        without_dropped);
  if (!unmasked.empty() && unmasked.size() < n)
    compare(f, CauseKind::mask_ignored,
            "mask ignored: a gradient at " + place_in_words(unmasked, f.elements, f.shape) +
                ", where the slope is zero; right elsewhere",
            with_unmasked);
}

}  // namespace glass
