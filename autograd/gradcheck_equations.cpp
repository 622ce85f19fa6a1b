#include "autograd/gradcheck_equations.h"

#include <algorithm>

#include "autograd/gradcheck_diagnosis.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// left - others = (1/factor)·<gradient, slope>, in the least squares sense.
double best_factor(const Equations& e, size_t i) {
  double with = 0, square = 0;
  size_t row = 0;
  for (const auto& g : e.gradients)
    for (const auto& s : e.slopes) {
      double others = 0;
      for (size_t j = 0; j < g.size(); ++j)
        if (j != i) others += dot(g[j], s[j]);
      const double own = dot(g[i], s[i]);
      with += own * (e.left[row++] - others);
      square += own * own;
    }
  return square / with;
}

}  // namespace

double Equations::residual() const {
  return residual([](const auto& g, const auto& s) {
    double sum = 0;
    for (size_t i = 0; i < g.size(); ++i) sum += dot(g[i], s[i]);
    return sum;
  });
}

std::string cause_of(const Equations& e, double tolerance) {
  if (!e.thrown.empty()) return "throws: " + e.thrown;
  const double fits = std::max(1e-6, tolerance);
  for (size_t i = 0; i < e.inputs; ++i) {
    const std::string of = text(" of its input ", i);
    double most = 0;
    for (const auto& g : e.gradients) most = std::max(most, norm(g[i]));
    if (!std::isfinite(most)) return "nan: the gradient" + of + " is not finite";
    const auto changed = [&](const auto& change) {
      return e.residual([&](const auto& g, const auto& s) {
        double sum = 0;
        for (size_t j = 0; j < g.size(); ++j)
          sum += j == i ? dot(change(g[j]), s[j]) : dot(g[j], s[j]);
        return sum;
      }) < fits;
    };
    if (most == 0) {
      if (e.inputs == 1) return "missing: the gradient" + of + " is zero";
      continue;
    }
    if (changed([](const Tensor& g) { return g * -1.0; })) return "sign: of the gradient" + of;
    if (const double factor = best_factor(e, i);
        std::isfinite(factor) && changed([&](const Tensor& g) { return g * (1 / factor); }))
      return "factor: the gradient" + of + " is " +
             factor_in_words(factor, {e.gradients[0][i].shape()});
    const Shape& shape = e.gradients[0][i].shape();
    for (const Dims& axes : axis_orders(shape.size())) {
      Dims back = axes;
      for (int a = 0; a < axes.size(); ++a) back[static_cast<int>(axes[a])] = a;
      Shape turned;
      for (int64_t axis : axes) turned.push_back(shape[static_cast<int>(axis)]);
      if (changed([&](const Tensor& g) {
            return g.contiguous().reshape(turned).permute(back).contiguous();
          }))
        return (axes.size() == 2 ? "transposed: the gradient" : "permuted: the gradient") + of;
    }
    for (size_t j = i + 1; j < e.inputs; ++j) {
      if (!(e.gradients[0][j].shape() == shape)) continue;
      const double r = e.residual([&](const auto& g, const auto& s) {
        double sum = 0;
        for (size_t n = 0; n < g.size(); ++n) sum += dot(g[n == i ? j : n == j ? i : n], s[n]);
        return sum;
      });
      if (r < fits) return text("swapped: the gradients of its inputs ", i, " and ", j);
    }
    double apart = 0;
    for (const auto& g : e.gradients) apart = std::max(apart, norm(g[i] - e.gradients[0][i]));
    if (apart <= 1e-12 * most) return "upstream ignored: in the gradient" + of;
  }
  for (size_t i = 0; i < e.inputs && e.inputs > 1; ++i)
    if (norm(e.gradients[0][i]) == 0)
      return text("missing: the gradient of its input ", i, " is zero");
  return "";
}

}  // namespace glass
