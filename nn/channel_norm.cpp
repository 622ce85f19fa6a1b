#include "nn/channel_norm.h"

namespace glass {

ChannelNorm::ChannelNorm(const char* name, int64_t features, bool affine, bool track_running_stats)
    : num_features(features), name_(name) {
  if (features < 0) fail(name, "num_features must not be negative", features);
  if (affine) {
    weight = parameter(Tensor::ones({features}));
    bias = parameter(Tensor::zeros({features}));
  }
  if (!track_running_stats) return;
  running_mean = Tensor::zeros({features});
  running_var = Tensor::ones({features});
  num_batches_tracked = Tensor::scalar(0, kInt64);
}

void ChannelNorm::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
  v("running_mean", running_mean);
  v("running_var", running_var);
  v("num_batches_tracked", num_batches_tracked);
}

}  // namespace glass
