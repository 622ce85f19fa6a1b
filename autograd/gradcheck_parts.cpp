#include <algorithm>
#include <cmath>

#include "autograd/gradcheck_diagnosis.h"
#include "tensor/ops.h"

namespace glass {

std::string_view name_of(CauseKind kind) {
  static constexpr std::string_view kNames[] = {
      "nan",         "shape",    "precision",   "nondeterministic", "overwritten",
      "stale",       "missing",  "sign",        "factor",           "twice",
      "transposed",  "permuted", "swapped",     "upstream-ignored", "wrong-axis",
      "not-reduced", "dropped",  "mask-ignored"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return d;
}

double residual(const std::vector<double>& a, const std::vector<double>& h, double floor) {
  const double size = std::max({norm(a), norm(h), floor});
  return size == 0 ? 0 : norm(minus(a, h)) / size;
}

bool finite(const std::vector<double>& a) {
  return std::all_of(a.begin(), a.end(), [](double v) { return std::isfinite(v); });
}

std::vector<Dims> axis_orders(int n) {
  std::vector<Dims> orders;
  const auto exchanged = [n](int a, int b) {
    Dims axes;
    for (int i = 0; i < n; ++i) axes.push_back(i == a ? b : i == b ? a : i);
    return axes;
  };
  if (n < 2) return orders;
  orders.push_back(exchanged(n - 2, n - 1));
  if (n > 4) {
    for (int i = 0; i + 2 < n; ++i) orders.push_back(exchanged(i, i + 1));
    return orders;
  }
  std::vector<int> axes;
  for (int i = 0; i < n; ++i) axes.push_back(i);
  while (std::next_permutation(axes.begin(), axes.end())) {
    Dims order;
    for (int axis : axes) order.push_back(axis);
    const Dims& first = orders[0];
    if (!std::equal(axes.begin(), axes.end(), first.begin())) orders.push_back(order);
  }
  return orders;
}

std::vector<int64_t> permuted_elements(const Shape& shape, const Dims& axes) {
  return Tensor::arange(0, numel(shape)).reshape(shape).permute(axes).to_vector<int64_t>();
}

std::string factor_in_words(double factor, const std::vector<Shape>& shapes) {
  const auto is = [factor](double value) {
    return std::abs(factor - value) < 1e-4 * std::abs(value);
  };
  if (is(2)) return "2 times numeric: a term counted twice, or a forgotten ½";
  if (is(0.5)) return "½ of numeric: a forgotten 2, or one of two terms";
  for (const Shape& shape : shapes)
    for (int axis = 0; axis <= shape.size(); ++axis) {
      const int64_t n = axis < shape.size() ? shape[axis] : numel(shape);
      if (n < 2) continue;
      const std::string what = axis < shape.size() ? text("size of axis ", axis, " of ", shape)
                                                   : text("number of elements of ", shape);
      const double size = static_cast<double>(n);
      if (is(size)) return text(n, " times numeric (", what, "): sum for mean");
      if (is(1 / size)) return text("1/", n, " of numeric (", what, "): mean for sum");
      if (is(std::sqrt(size)) || is(1 / std::sqrt(size)))
        return text(factor, " times numeric, the ", is(std::sqrt(size)) ? "" : "inverse ",
                    "square root of ", n, " (", what, ")");
    }
  return text(factor, " times numeric");
}

std::string place_in_words(const std::vector<int64_t>& wrong, const std::vector<int64_t>& tried,
                           const Shape& shape) {
  if (wrong.size() == tried.size()) return tried.size() == 1 ? "its element" : "every element";
  for (int axis = 0; axis < shape.size() && wrong.size() > 1; ++axis) {
    const auto along = [&](int64_t p) { return index_of(p, shape)[static_cast<size_t>(axis)]; };
    const int64_t index = along(wrong[0]);
    const auto here = [&](int64_t p) { return along(p) == index; };
    if (std::all_of(wrong.begin(), wrong.end(), here) &&
        std::count_if(tried.begin(), tried.end(), here) ==
            static_cast<std::ptrdiff_t>(wrong.size()))
      return text("index ", index, " of axis ", axis);
  }
  std::string words;
  const size_t shown = std::min<size_t>(wrong.size(), 4);
  for (size_t k = 0; k < shown; ++k) {
    std::string at;
    for (int64_t i : index_of(wrong[k], shape)) at += (at.empty() ? "" : ", ") + text(i);
    words += (k > 0 ? ", [" : "[") + at + "]";
  }
  return words + (shown < wrong.size() ? text(" and ", wrong.size() - shown, " more") : "");
}

RatioStatistics statistics(const std::vector<double>& ratios) {
  RatioStatistics s;
  if (ratios.empty()) return s;
  s.count = static_cast<int64_t>(ratios.size());
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  s.low = *low;
  s.high = *high;
  for (double r : ratios) s.mean += r / static_cast<double>(ratios.size());
  for (double r : ratios) s.deviation += (r - s.mean) * (r - s.mean);
  s.deviation = std::sqrt(s.deviation / static_cast<double>(ratios.size()));
  return s;
}

}  // namespace glass
