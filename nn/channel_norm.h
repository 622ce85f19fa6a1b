#pragma once

#include "nn/module.h"

namespace glass {

/// What norms with statistics of each channel hold: weight 1 and bias 0 with affine, running mean 0
/// and variance 1 with track_running_stats.
class ChannelNorm : public Module {
 public:
  void visit(Visitor& v) override;

  Var weight, bias;                  ///< [C], or undefined
  Tensor running_mean, running_var;  ///< [C], or undefined
  Tensor num_batches_tracked;        ///< 0-d int64, or undefined
  int64_t num_features;

 protected:
  ChannelNorm(const char* name, int64_t num_features, bool affine, bool track_running_stats);

  const char* name_;
};

}  // namespace glass
