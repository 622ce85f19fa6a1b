#include "optim/clip.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

/// The gradients there are, each storage once.
std::vector<Tensor> gradients(const char* op, const std::vector<Var>& params) {
  std::vector<Tensor> all;
  for (const Var& param : params) {
    if (!param.defined()) fail(op, "a parameter is undefined");
    const Var gradient = param.grad();
    if (!gradient.defined()) continue;
    const Tensor& g = gradient.value();
    const bool seen = std::any_of(all.begin(), all.end(), [&](const Tensor& other) {
      return other.shares_storage(g) && other.offset() == g.offset();
    });
    if (!seen) all.push_back(g);
  }
  return all;
}

double largest(const std::vector<Tensor>& all) {
  double top = 0;
  for (const Tensor& g : all) {
    if (g.numel() == 0) continue;
    const double high = amax(g).item(), low = amin(g).item();
    if (std::isnan(high) || std::isnan(low)) return std::nan("");
    top = std::max({top, high, -low});
  }
  return top;
}

// (Σ |g·scale|^p)^(1/p) / scale
double norm(const std::vector<Tensor>& all, double p, double scale) {
  double sum = 0;
  for (const Tensor& g : all) sum += kernels(g).power_sum(g.contiguous(), p, scale);
  return std::pow(sum, 1 / p) / scale;
}

double total_norm(const std::vector<Tensor>& all, double p) {
  if (p == INFINITY) return largest(all);
  const double plain = norm(all, p, 1);
  if (plain > 1e-100 && plain < 1e100) return plain;
  // Powers may have left the range of double: in units of the largest they cannot.
  const double top = largest(all);
  if (top == 0 || !std::isfinite(top)) return top;
  return norm(all, p, top < 1e-300 ? 1e300 : 1 / top);
}

}  // namespace

double clip_grad_norm_(const std::vector<Var>& params, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  if (!(max_norm >= 0)) fail("clip_grad_norm_", "max_norm must not be negative", max_norm);
  if (!(norm_type > 0)) fail("clip_grad_norm_", "norm_type must be positive", norm_type);
  const std::vector<Tensor> all = gradients("clip_grad_norm_", params);
  const double total = total_norm(all, norm_type);
  if (!std::isfinite(total)) {
    if (error_if_nonfinite)
      fail("clip_grad_norm_", "the gradients are not finite", "norm ", total,
           "; nothing was changed");
    return total;
  }
  const double factor = max_norm / (total + 1e-6);
  if (factor < 1)
    for (const Tensor& g : all) g.mul_(factor);
  return total;
}

void clip_grad_value_(const std::vector<Var>& params, double clip_value) {
  if (!(clip_value >= 0)) fail("clip_grad_value_", "clip_value must not be negative", clip_value);
  for (const Tensor& g : gradients("clip_grad_value_", params)) {
    const Tensor dense = g.contiguous();
    visit_floating("clip_grad_value_", g.dtype(), [&]<class T>(T) {
      const T limit = static_cast<T>(clip_value);
      T* x = dense.data<T>();
      for (int64_t i = 0; i < dense.numel(); ++i)
        x[i] = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i];
    });
    if (g.is_contiguous())
      g.bump_version();
    else
      g.copy_(dense);
  }
}

}  // namespace glass
