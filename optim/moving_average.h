#pragma once

#include <vector>

#include "autograd/var.h"
#include "tensor/safetensors.h"

namespace glass {

/// An exponential moving average of parameters, which often do better than the last values (Polyak
/// and Juditsky 1992 for plain means):
///   a_t = d_t·a_{t-1} + (1 - d_t)·p_t,  d_t = min(decay, (1 + t)/(10 + t)),  a_0 = p_0
/// so that the first values are soon forgotten. Frozen parameters are left out; one that is given
/// twice counts once.
class MovingAverage {
 public:
  /// Throws Error unless 0 <= decay < 1.
  MovingAverage(const std::vector<Var>& params, double decay);
  /// After a step of the optimiser.
  void update();
  /// Exchanges parameters and averages, and back; between the two no update().
  void swap();

  /// "steps" and, by number, the averages, which share storage.
  NamedTensors state_dict() const;
  /// Throws Error for what does not fit, and then nothing has changed.
  void load_state_dict(const NamedTensors& state);

 private:
  std::vector<Var> params_;
  std::vector<Tensor> averages_;
  double decay_;
  int64_t steps_ = 0;
};

}  // namespace glass
