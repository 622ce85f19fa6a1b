#pragma once

#include <functional>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

// Slopes of a function by evaluating it beside a point.
namespace glass {

/// A tensor per displaced one: where to go. Undefined: stay.
using Direction = std::vector<Tensor>;

/// Numbers of either sign, none near zero: in [0.5, 1) or (-1, -0.5].
Tensor away_from_zero(const Shape& shape, Generator& generator);

/// Tensors that are displaced in place, and put back to the last bit at the end of the scope.
class Displacement {
 public:
  /// Throws Error unless all are float64 and no two elements are one and the same number.
  explicit Displacement(std::vector<Tensor> tensors);
  ~Displacement() { restore(); }
  Displacement(const Displacement&) = delete;
  Displacement& operator=(const Displacement&) = delete;

  size_t count() const { return tensors_.size(); }
  const Tensor& operator[](size_t i) const { return tensors_[i]; }
  int64_t numel() const;
  void move(const Direction& direction, double distance);  ///< from the start
  void restore();
  /// The first tensor that somebody else has changed, or count().
  size_t first_changed() const;

 private:
  std::vector<Tensor> tensors_, start_;
  std::vector<bool> moved_;
};

/// Slopes of all outputs along a direction.
struct Slopes {
  std::vector<double> central;
  std::vector<double> jump;  ///< right slope - left slope where they differ at the point, else 0
  bool has_kink = false;
  double step = 0;
};

/// All outputs' elements in one list.
using Evaluate = std::function<std::vector<double>()>;

/// Rounding noise in each of the values at the point, from the values very near to it.
std::vector<double> rounding_noise(const Evaluate& f, const std::vector<double>& center,
                                   Displacement& x, const Direction& direction);

/// Differences over widths from step down to step / 1000, until one is good to precision
/// (relative). noise: of each value.
Slopes slopes(const Evaluate& f, const std::vector<double>& center,
              const std::vector<double>& noise, Displacement& x, const Direction& direction,
              double step, double precision);

}  // namespace glass
