#include "nn/positions.h"

#include <cmath>

namespace glass {

Tensor sinusoidal_positions(int64_t count, int64_t d, DType dtype, int64_t first) {
  if (count < 0 || d < 1)
    fail("sinusoidal_positions", "count must not be negative, d positive", count, " and ", d);
  Tensor places = Tensor::empty({count, d}, kFloat64);
  double* out = places.data<double>();
  for (int64_t t = first; t < first + count; ++t)
    for (int64_t i = 0; i < d; ++i, ++out) {
      const double power = static_cast<double>(i - i % 2) / static_cast<double>(d);
      const double angle = static_cast<double>(t) / std::pow(10000, power);
      *out = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  return places.to(dtype);
}

}  // namespace glass
