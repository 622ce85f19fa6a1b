#include "autograd/finite_difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/ops.h"

namespace glass {

Tensor away_from_zero(const Shape& shape, Generator& generator) {
  std::vector<double> values(static_cast<size_t>(numel(shape)));
  for (double& v : values) {
    const double u = 2 * generator.draw_uniform() - 1;
    v = std::copysign(0.5 + 0.5 * std::abs(u), u);
  }
  return Tensor::from(values, shape);
}

namespace {

void add_addresses(const Tensor& x, std::vector<const double*>& addresses) {
  std::vector<int64_t> index(static_cast<size_t>(x.ndim()), 0);
  const double* base = x.data<double>();
  for (int64_t k = 0; k < x.numel(); ++k) {
    int64_t rest = k, position = 0;
    for (int axis = x.ndim() - 1; axis >= 0; --axis) {
      position += rest % x.shape()[axis] * x.strides()[axis];
      rest /= x.shape()[axis];
    }
    addresses.push_back(base + position);
  }
}

}  // namespace

Displacement::Displacement(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
  std::vector<const double*> addresses;
  for (const Tensor& x : tensors_) {
    if (x.dtype() != kFloat64)
      fail("gradcheck", "inputs must be float64, or rounding hides mistakes", "got ",
           name_of(x.dtype()), "; use to(kFloat64)");
    add_addresses(x, addresses);
    start_.push_back(x.clone());
  }
  moved_.resize(tensors_.size(), false);
  std::sort(addresses.begin(), addresses.end());
  if (std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end())
    fail("gradcheck", "inputs share elements, so that one cannot be displaced without another",
         "pass each once, and a clone() of an expanded one");
}

int64_t Displacement::numel() const {
  int64_t n = 0;
  for (const Tensor& x : tensors_) n += x.numel();
  return n;
}

void Displacement::move(const Direction& direction, double distance) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!direction[i].defined()) continue;
    moved_[i] = true;
    tensors_[i].copy_(start_[i] + direction[i] * distance);
  }
}

void Displacement::restore() {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (moved_[i]) tensors_[i].copy_(start_[i]);
    moved_[i] = false;
  }
}

size_t Displacement::first_changed() const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor now = tensors_[i].contiguous();
    if (now.numel() > 0 &&
        std::memcmp(now.raw(), start_[i].raw(), static_cast<size_t>(now.numel()) * 8) != 0)
      return i;
  }
  return count();
}

std::vector<double> rounding_noise(const Evaluate& f, const std::vector<double>& center,
                                   Displacement& x, const Direction& direction) {
  std::vector<double> noise(center.size());
  for (size_t o = 0; o < center.size(); ++o)
    noise[o] = std::numeric_limits<double>::epsilon() * std::abs(center[o]);
  for (double distance : {1e-13, -1.7e-13, 2.9e-13}) {
    x.move(direction, distance);
    const std::vector<double> near = f();
    for (size_t o = 0; o < center.size(); ++o)
      if (std::isfinite(near[o])) noise[o] = std::max(noise[o], std::abs(near[o] - center[o]));
  }
  x.restore();
  return noise;
}

namespace {

// Central differences D over widths h and h/2, extrapolated: (4·D(h/2) - D(h))/3. The jump is what
// remains of (f(x+h) - 2·f(x) + f(x-h))/h at h = 0, extrapolated likewise.
struct Attempt {
  Slopes slopes;
  double error = 0, size = 0;  // Euclidean norms over the outputs
  bool has_jump = false;
};

Attempt attempt(const Evaluate& f, const std::vector<double>& center,
                const std::vector<double>& noise, Displacement& x, const Direction& direction,
                double h) {
  const auto at = [&](double distance) {
    x.move(direction, distance);
    return f();
  };
  const std::vector<double> right = at(h), left = at(-h), right2 = at(h / 2), left2 = at(-h / 2);
  Attempt a;
  a.slopes.step = h;
  a.slopes.central.resize(center.size());
  a.slopes.jump.resize(center.size(), 0.0);
  for (size_t o = 0; o < center.size(); ++o) {
    const double wide = (right[o] - left[o]) / (2 * h), narrow = (right2[o] - left2[o]) / h;
    const double slope = (4 * narrow - wide) / 3;
    const double bend = (right[o] - 2 * center[o] + left[o]) / h;
    const double bend2 = (right2[o] - 2 * center[o] + left2[o]) / (h / 2);
    const double jump = 2 * bend2 - bend;
    a.slopes.central[o] = slope;
    a.error = std::hypot(a.error, slope - narrow);
    a.size = std::hypot(a.size, slope);
    if (std::abs(jump) > 1e-4 * (std::abs(slope) + std::abs(jump)) + 50 * noise[o] / h) {
      a.slopes.jump[o] = jump;
      a.has_jump = true;
    }
  }
  if (!std::isfinite(a.error)) a.error = std::numeric_limits<double>::infinity();
  return a;
}

}  // namespace

Slopes slopes(const Evaluate& f, const std::vector<double>& center,
              const std::vector<double>& noise, Displacement& x, const Direction& direction,
              double step, double precision) {
  double total_noise = 0;
  for (double n : noise) total_noise = std::hypot(total_noise, n);
  std::vector<Attempt> attempts;
  for (double h : {step, step / 10, step / 100, step / 1000}) {
    attempts.push_back(attempt(f, center, noise, x, direction, h));
    const Attempt& a = attempts.back();
    if (!a.has_jump && a.error <= precision * a.size + total_noise / h) break;
  }
  x.restore();
  const Attempt* best = &attempts[0];
  for (const Attempt& a : attempts)
    if (a.error + total_noise / a.slopes.step < best->error + total_noise / best->slopes.step)
      best = &a;
  Slopes result = best->slopes;
  // A kink at the point itself shows the same jump at every width; one beside it does not.
  std::fill(result.jump.begin(), result.jump.end(), 0.0);
  if (attempts.size() < 4 || !attempts[3].has_jump) return result;
  for (size_t o = 0; o < center.size(); ++o) {
    const double last = attempts[3].slopes.jump[o], before = attempts[2].slopes.jump[o];
    if (last == 0 || std::abs(last - before) > 0.01 * std::abs(last)) continue;
    result.jump[o] = last;
    result.has_kink = true;
  }
  return result;
}

}  // namespace glass
