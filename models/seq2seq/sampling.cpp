#include "models/seq2seq/sampling.h"

#include <algorithm>
#include <cmath>

#include "tensor/error.h"

namespace glass {

double ScheduledSampling::keep(int64_t step) const {
  const double i = static_cast<double>(step);
  if (schedule == "none") return 1;
  if (schedule == "linear") {
    if (!(k > 0)) fail("scheduled sampling", "k of linear must be positive", k);
    return std::max(0.0, 1 - i / k);
  }
  if (schedule == "exponential") {
    if (!(k > 0 && k < 1)) fail("scheduled sampling", "k of exponential must be in (0, 1)", k);
    return std::pow(k, i);
  }
  if (schedule == "inverse-sigmoid") {
    if (!(k >= 1)) fail("scheduled sampling", "k of inverse-sigmoid must be at least 1", k);
    return k / (k + std::exp(i / k));
  }
  fail("scheduled sampling", "no schedule of this name", schedule,
       "; there are none, linear, exponential and inverse-sigmoid");
}

}  // namespace glass
