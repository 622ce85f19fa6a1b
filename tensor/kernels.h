#pragma once

#include "tensor/attention.h"
#include "tensor/convolution.h"
#include "tensor/loss.h"
#include "tensor/normalization.h"
#include "tensor/pooling.h"
#include "tensor/recurrent.h"
#include "tensor/tensor.h"
#include "tensor/update.h"

namespace glass {

enum class Reduction : uint8_t { sum, prod, max, min };
enum class Scan : uint8_t { sum, prod };
enum class RowFunction : uint8_t { softmax, log_softmax };

/// A dense array seen as [outer, length, inner], worked on along its middle axis.
struct Axis3 {
  int64_t outer, length, inner;
};

/// x along dim, from 0 to ndim - 1.
Axis3 axis_of(const Tensor& x, int dim);

/// Element i is kept, times scale, when word i of the stream (tensor/random.h) is at most
/// last_kept.
struct DropoutDraw {
  uint64_t key, counter;
  uint32_t last_kept;
  double scale;
};

/// What a device must be able to do beside the pointwise loops. One table per device; arguments
/// are already checked. Tensors are dense unless a line says otherwise.
struct Kernels {
  void (*fill)(const Tensor& out, double value);
  void (*copy)(const Tensor& source, const Tensor& target);  // any layout, any types
  void (*reduce)(Reduction kind, const Tensor& x, Axis3 axis, const Tensor& out);
  void (*arg_extreme)(bool largest, const Tensor& x, Axis3 axis, const Tensor& out);
  bool (*all_finite)(const Tensor& x);
  void (*rows)(RowFunction kind, const Tensor& x, const Tensor& out);  // [rows, length]
  void (*rows_backward)(RowFunction kind, const Tensor& dy, const Tensor& y, const Tensor& dx);
  void (*logsumexp)(const Tensor& x, const Tensor& out);
  // c = a·b + beta·c, 2-d, any strides; and the same for every leading index of 3-d operands.
  void (*gemm)(const Tensor& a, const Tensor& b, double beta, const Tensor& c);
  void (*gemm_batched)(const Tensor& a, const Tensor& b, double beta, const Tensor& c);
  // index: dense int64, checked. x and out: [outer, n, inner] and [outer, index.numel(), inner].
  void (*index_select)(const Tensor& x, Axis3 axis, const Tensor& index, const Tensor& out);
  void (*index_add)(const Tensor& out, Axis3 axis, const Tensor& index, const Tensor& src);
  // index has any shape; x and out may be larger on the other dims.
  void (*gather)(const Tensor& x, int dim, const Tensor& index, const Tensor& out);
  void (*scatter_add)(const Tensor& out, int dim, const Tensor& index, const Tensor& src);
  // Running sums and products along the middle axis, forwards or from the end.
  void (*scan)(Scan kind, const Tensor& x, Axis3 axis, bool reverse, const Tensor& out);
  void (*cumprod_backward)(const Tensor& dy, const Tensor& x, Axis3 axis, const Tensor& dx);
  void (*dropout)(const Tensor& x, const DropoutDraw& draw, const Tensor& out);
  // Recurrent layers, one step: tensor/recurrent.h.
  void (*lstm_step)(const LstmStep& step);
  void (*lstm_step_backward)(const LstmStepBackward& step);
  void (*gru_step)(const GruStep& step);
  void (*gru_step_backward)(const GruStepBackward& step);
  // x, allowed (bool, may be undefined) and out: [rows, length]; other attention: attention.h.
  void (*masked_softmax)(const Tensor& x, const Tensor& allowed, const Tensor& out);
  void (*masked_softmax_backward)(const Tensor& dy, const Tensor& y, const Tensor& allowed,
                                  const Tensor& dx);
  void (*additive_attention)(const AttentionForward& f);
  void (*additive_attention_backward)(const AttentionBackward& g);
  void (*chunked_attention)(const ChunkedForward& f);
  void (*chunked_attention_backward)(const ChunkedBackward& g);
  // out [N, S] = whether any query of allowed [N, T, S] sees the key; the last stride is 1 or 0.
  void (*any_query)(const Tensor& allowed, const Tensor& out);
  // Windows: slot w of query t is key start[n, t] + w, when there is such a key. start [N, T]
  // int64; query, sums [N, T, A]; keys, values [N, S, A], dense or (where they are read) with dense
  // rows; scores, weights [N, T, W]; windows [N, T, W, A]. outer and scatter add to keys.
  void (*window_scores)(const Tensor& query, const Tensor& keys, const Tensor& start,
                        const Tensor& scores);
  void (*window_sum)(const Tensor& weights, const Tensor& values, const Tensor& start,
                     const Tensor& sums);
  void (*window_outer)(const Tensor& weights, const Tensor& query, const Tensor& start,
                       const Tensor& keys);
  void (*window_gather)(const Tensor& keys, const Tensor& start, const Tensor& windows);
  void (*window_scatter)(const Tensor& windows, const Tensor& start, const Tensor& keys);
  // p, weights and their gradients [N, T, S], previous [N, S]; d_previous must arrive as zeros.
  void (*monotonic_attention)(const Tensor& p, const Tensor& previous, const Tensor& weights);
  void (*monotonic_attention_backward)(const Tensor& dy, const Tensor& p, const Tensor& previous,
                                       const Tensor& weights, const Tensor& dp,
                                       const Tensor& d_previous);
  // Losses: loss.h. loss [N] out; dx (forward: may be undefined) is the gradient for an upstream of
  // factor, times up ([N] or one element).
  void (*cross_entropy)(const CrossEntropyRows& rows, const Tensor& loss, double factor,
                        const Tensor& dx);
  void (*cross_entropy_backward)(const CrossEntropyRows& rows, const Tensor& up, double factor,
                                 const Tensor& dx);
  // Convolution: convolution.h. The first gives y (bias: [O] or undefined), then x, then weight.
  void (*convolution)(const Convolution& c, const Tensor& bias);
  void (*convolution_input)(const Convolution& c);
  void (*convolution_weight)(const Convolution& c);
  // Pooling: pooling.h. x, y, indices and their gradients: [planes, height, width].
  void (*max_pool)(const Tensor& x, const Pool& pool, const Tensor& y, const Tensor& indices);
  void (*avg_pool)(const Tensor& x, const Pool& pool, const Tensor& y);
  void (*avg_pool_backward)(const Tensor& dy, const Pool& pool, const Tensor& dx);
  // Normalisation: normalization.h.
  void (*normalize)(const Normalization& n);
  void (*normalize_backward)(const NormalizationBackward& n);
  // Optimisers: update.h. power_sum: Σ |x·scale|^p in double.
  void (*sgd_step)(const SgdStep& step);
  void (*adam_step)(const AdamStep& step);
  double (*power_sum)(const Tensor& x, double p, double scale);
};

const Kernels& cpu_kernels();
const Kernels* cuda_kernels();  ///< null in a build without CUDA

/// The table of the device that x lives on.
const Kernels& kernels(const Tensor& x);

}  // namespace glass
